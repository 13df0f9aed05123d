// Webhooks and policies in memory, in the order in which they are asked. Fed by every commit before
// it is answered, and by following the store: what is configured counts from the moment its write
// is acknowledged. A plane without any pays for nothing.

import type { Clock } from "../../base/clock.ts"
import type { Revision, Store } from "../../contract/store.ts"
import type { ApiObject } from "../../object/object.ts"
import { admissionGroup } from "../definitions/admission-registration.ts"
import { followIndex } from "../follow-index.ts"
import type { Follower } from "../follow-store.ts"
import { parseStorageKey, registryPrefix } from "../storage-keys.ts"
import {
  type Binding,
  type BoundPolicy,
  type Policy,
  readBinding,
  readPolicy,
} from "./policies/policy.ts"
import { readWebhooks, type Webhook } from "./webhooks/webhook.ts"

const admissionPrefix = `${registryPrefix}${admissionGroup}/`

interface Known {
  readonly revision: Revision
  /** Undefined when it is gone, until the follower says so too. */
  readonly object: ApiObject | undefined
}

interface Lists {
  readonly mutating: readonly Webhook[]
  readonly validating: readonly Webhook[]
  readonly policies: readonly BoundPolicy[]
}

const none: Lists = { mutating: [], validating: [], policies: [] }

export class AdmissionIndex {
  readonly #known = new Map<string, Known>()
  readonly #gone = new Set<string>()
  readonly #skipWebhooks: boolean
  #lists: Lists | undefined = none

  constructor(skipWebhooks = false) {
    this.#skipWebhooks = skipWebhooks
  }

  get mutating(): readonly Webhook[] {
    return this.#current().mutating
  }

  get validating(): readonly Webhook[] {
    return this.#current().validating
  }

  get policies(): readonly BoundPolicy[] {
    return this.#current().policies
  }

  /** Undefined when the object is gone. An older revision than the known one changes nothing. */
  put(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    const known = this.#known.get(storageKey)
    if (known !== undefined && known.revision >= revision) return
    this.#known.set(storageKey, { revision, object })
    if (object === undefined) this.#gone.add(storageKey)
    this.#lists = undefined
  }

  /** A writer's commit, known here before the watch brings it. */
  noteCommitted(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    if (storageKey.startsWith(admissionPrefix)) this.put(storageKey, object, revision)
  }

  /** The follower has handed over everything up to here: what is gone by then needs no mark. */
  settle(revision: Revision): void {
    for (const key of this.#gone) {
      const known = this.#known.get(key)
      if (known !== undefined && known.revision > revision) continue
      this.#gone.delete(key)
      if (known?.object === undefined) this.#known.delete(key)
    }
  }

  keys(): string[] {
    return [...this.#known].filter(([, { object }]) => object !== undefined).map(([key]) => key)
  }

  #current(): Lists {
    this.#lists ??= this.#read()
    return this.#lists
  }

  #read(): Lists {
    const sorted = [...this.#known].sort(([left], [right]) => (left < right ? -1 : 1))
    const of = (resource: string): ApiObject[] =>
      sorted.flatMap(([key, { object }]) =>
        object !== undefined && parseStorageKey(key)?.resource === resource ? [object] : [],
      )
    const policies = of("validatingadmissionpolicies").map(readPolicy)
    const bindings = of("validatingadmissionpolicybindings").map(readBinding)
    const hooks = (resource: string) =>
      this.#skipWebhooks ? [] : of(resource).flatMap(readWebhooks)
    return {
      mutating: hooks("mutatingwebhookconfigurations"),
      validating: hooks("validatingwebhookconfigurations"),
      policies: policies.flatMap((policy) => bound(policy, bindings)),
    }
  }
}

/** A policy that nothing binds says nothing. */
function bound(policy: Policy, all: readonly Binding[]): BoundPolicy[] {
  const bindings = all.filter(({ policyName }) => policyName === policy.name)
  return bindings.length === 0 ? [] : [{ policy, bindings }]
}

export function followAdmission(store: Store, clock: Clock, index: AdmissionIndex): Follower {
  return followIndex({ store, clock, prefix: admissionPrefix, index })
}
