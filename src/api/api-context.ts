// Everything the verbs need, handed in by the plane.

import type { Clock } from "../base/clock.ts"
import { protects } from "../base/protections.ts"
import type { Random } from "../base/random.ts"
import type { Admission } from "../contract/admission.ts"
import type { Authorizer } from "../contract/authorizer.ts"
import type { DeleteJudge } from "../contract/delete-judge.ts"
import type { Principal } from "../contract/principal.ts"
import type { Check, Revision, Store, Write } from "../contract/store.ts"
import type { CallWebhook } from "../contract/webhook.ts"
import type { ApiObject } from "../object/object.ts"
import type { AdmissionIndex } from "./admission/admission-index.ts"
import type { RoleIndex } from "./authz/role-index.ts"
import { encodeObject } from "./codec.ts"
import type { EventLifetime } from "./event-lifetime.ts"
import { apiFault } from "./faults.ts"
import type { NamespacesSeen } from "./namespace-exists.ts"
import type { OwnerIndex } from "./owner-index.ts"
import type { ResourceRegistry } from "./resource-registry.ts"

export interface ApiContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly registry: ResourceRegistry
  readonly owners: OwnerIndex
  readonly lifetime: EventLifetime
  readonly namespaces: NamespacesSeen
  readonly roles: RoleIndex
  /** Webhooks and policies that users configured. */
  readonly admissions: AdmissionIndex
  /** What the roles say, for expressions that ask. */
  readonly authorizer: Authorizer
  readonly judge: DeleteJudge
  readonly mutating: readonly Admission[]
  readonly validating: readonly Admission[]
  /** Undefined where no webhook may be called. */
  readonly callWebhook?: CallWebhook
  hasProvider(group: string, resource: string): boolean
  /** Deleting a pending plan rejects it; answers with the plan as it then is. */
  rejectPlan(principal: Principal, plan: ApiObject): Promise<ApiObject>
}

/** One object of a commit: stored, or gone when the object is undefined. */
export interface ObjectWrite {
  readonly storageKey: string
  /** The modRevision it must have now; 0 = must not exist. */
  readonly before: Revision
  readonly object: ApiObject | undefined
  /** Its bytes, where the writer has made them; else they are made of the object. */
  readonly value?: Uint8Array
  /** It goes with this lease of the store. */
  readonly lease?: string
}

/** The revision of one object's commit; undefined when somebody else was faster. */
export async function commitObject(
  context: ApiContext,
  object: ObjectWrite,
  checks: readonly Check[] = [],
): Promise<Revision | undefined> {
  const revisions = await commitObjects(context, [object], { checks, writes: [] })
  return revisions?.[0]
}

/**
 * Commits objects, and whatever must hold or happen with them: all or nothing. Each object gets a
 * revision of its own, since clients resume a watch after the last one that they saw; what goes
 * along comes before them. Answers with the revision of each, or undefined when somebody else was
 * faster. Indexes that later calls rely on know of it when this answers.
 */
export async function commitObjects(
  context: ApiContext,
  objects: readonly ObjectWrite[],
  also: { readonly checks: readonly Check[]; readonly writes: readonly Write[] },
): Promise<readonly Revision[] | undefined> {
  const own = objects.map(({ storageKey, before }) => ({ key: storageKey, modRevision: before }))
  const checks = new Map<string, Check>(own.map((check) => [check.key, check]))
  const writes = objects.map(({ storageKey, object, value, lease }): Write => {
    const common = { key: storageKey, apart: true } as const
    if (object === undefined) return { kind: "delete", ...common }
    // What is newer than its definition is taken for settled, whoever wrote it.
    const check = value === undefined ? context.registry.checkOf(storageKey) : undefined
    if (check !== undefined && !checks.has(check.key)) checks.set(check.key, check)
    const bytes = value ?? encodeObject(context.registry.settle(storageKey, object))
    return { kind: "put", ...common, value: bytes, ...(lease === undefined ? {} : { lease }) }
  })
  // What a plane that was taken over from still hears must not become what is declared.
  const { epochCheck, epoch } = context.store.identity
  const fence = protects("epoch-fence") ? [epochCheck] : []
  const result = await context.store.commit(
    [...fence, ...checks.values(), ...also.checks],
    [...also.writes, ...writes],
  )
  if (result.kind === "refused") {
    if (result.failed.key === epochCheck.key) throw apiFault("SPT-API-042", { epoch })
    return undefined
  }
  return objects.map(({ storageKey, object }, index) => {
    const revision = result.revisions?.[also.writes.length + index] ?? result.revision
    context.owners.put(storageKey, object, revision)
    context.registry.noteCommitted(storageKey, object, revision)
    context.roles.noteCommitted(storageKey, object, revision)
    context.admissions.noteCommitted(storageKey, object, revision)
    return revision
  })
}
