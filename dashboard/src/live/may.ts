// What the one who is signed in may do, asked of the plane (SelfSubjectAccessReview) and remembered
// for a minute: what they may not is shown, disabled, and says why. It is a courtesy; the plane
// checks every request itself.

import { type ReadonlySignal, signal } from "@preact/signals"
import { ask } from "./request.ts"
import { session } from "./session.ts"

export interface Wanted {
  readonly verb: string
  readonly resource: string
  readonly group?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

export interface Permission {
  /** Undefined until the plane has answered; then nothing is disabled yet. */
  readonly allowed: boolean | undefined
  readonly why: string
}

interface Row {
  readonly permission: ReturnType<typeof signal<Permission>>
  at: number
}

const freshMs = 60_000
const rows = new Map<string, Row>()
const most = 500

export function may(wanted: Wanted): ReadonlySignal<Permission> {
  const key = JSON.stringify([session.value.user?.name, wanted])
  const known = rows.get(key)
  const row = known ?? { permission: signal<Permission>(unknownYet), at: Number.NEGATIVE_INFINITY }
  if (known === undefined) {
    if (rows.size >= most) rows.clear()
    rows.set(key, row)
  }
  if (performance.now() - row.at > freshMs) {
    row.at = performance.now()
    void review(wanted, row)
  }
  return row.permission as ReadonlySignal<Permission>
}

const unknownYet: Permission = { allowed: undefined, why: "" }

async function review(wanted: Wanted, row: Row): Promise<void> {
  try {
    const { status } = await ask<{ status: { allowed: boolean; reason?: string } }>(
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {
        method: "POST",
        question: true,
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes: { group: "setpoint.dev", ...wanted } },
        },
      },
    )
    const what = `${wanted.verb} ${wanted.resource}`
    const why = status.allowed ? "" : (status.reason ?? `no role of yours allows to ${what}`)
    row.permission.value = { allowed: status.allowed, why }
  } catch {
    row.at = Number.NEGATIVE_INFINITY // Asked again when it is looked at again.
  }
}
