// The API: one object of verbs over the store, plain values in and out. Composition roots open it
// once; HTTP and the in-process client both call it.

import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Admission } from "../contract/admission.ts"
import type { DeleteJudge } from "../contract/delete-judge.ts"
import type { Principal } from "../contract/principal.ts"
import type { Store } from "../contract/store.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { CallWebhook } from "../contract/webhook.ts"
import type { ApiObject } from "../object/object.ts"
import { AdmissionIndex, followAdmission } from "./admission/admission-index.ts"
import { adoptAdmission } from "./admission/adopt-rules.ts"
import { authorsAdmission } from "./admission/authors.ts"
import { definitionAdmission } from "./admission/definition-rules.ts"
import { detachedAdmission } from "./admission/detached-annotation.ts"
import { engineOnlyAdmission } from "./admission/engine-only.ts"
import { invariantAdmission } from "./admission/invariant-rules.ts"
import { loopLabelAdmission } from "./admission/loop-label.ts"
import { loopAdmission } from "./admission/loop-rules.ts"
import { namespaceAdmission } from "./admission/namespace-rules.ts"
import { notifierAdmission } from "./admission/notifier-rules.ts"
import { ownDefinitionsAdmission } from "./admission/own-definitions.ts"
import { expressionWarningsAdmission } from "./admission/policies/expression-warnings.ts"
import { policyAdmission } from "./admission/policy-rules.ts"
import { promotionAdmission } from "./admission/promotion.ts"
import { targetFinalizerAdmission } from "./admission/target-finalizer.ts"
import { targetStatusAdmission } from "./admission/target-status.ts"
import { waveAdmission } from "./admission/wave-rules.ts"
import type { ApiContext } from "./api-context.ts"
import { createAdmission } from "./authz/create-admission.ts"
import { paramAdmission } from "./authz/param-admission.ts"
import { roleAdmission } from "./authz/role-admission.ts"
import { type RoleAuthorizer, roleAuthorizer } from "./authz/role-authorizer.ts"
import { followRoles, RoleIndex } from "./authz/role-index.ts"
import { sourceAdmission } from "./authz/source-admission.ts"
import { workloadDefinitions } from "./definitions/workloads.ts"
import { EventLifetime } from "./event-lifetime.ts"
import { apiFault } from "./faults.ts"
import { NamespacesSeen } from "./namespace-exists.ts"
import { followOwners, OwnerIndex } from "./owner-index.ts"
import { type RawReads, rawReads } from "./raw-reads.ts"
import { followDefinitions, ResourceRegistry } from "./resource-registry.ts"
import { applyObject } from "./verb-apply.ts"
import { createObject } from "./verb-create.ts"
import { deleteKeys, deleteObject, deleteObjects } from "./verb-delete.ts"
import { getObject } from "./verb-get.ts"
import { listObjects } from "./verb-list.ts"
import { patchObject } from "./verb-patch.ts"
import { scaleVerbs } from "./verb-scale.ts"
import { updateObject } from "./verb-update.ts"
import { watchObjects } from "./verb-watch.ts"

export interface ApiOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly judge: DeleteJudge
  /** Kinds whose objects have targets. */
  hasProvider(group: string, resource: string): boolean
  /** Deleting a pending plan rejects it. */
  rejectPlan?(principal: Principal, plan: ApiObject): Promise<ApiObject>
  /** Without it, kinds that need a webhook answer 500. */
  readonly callWebhook?: CallWebhook
  /** For looks that store nothing: webhooks are not asked, policies are. */
  readonly skipWebhooks?: boolean
  /** How long an event stays after its last change; an hour when missing. */
  readonly eventsKeepMs?: number
  /** Pods, Deployments and the like are served too, as plain data. */
  readonly workloadKinds?: boolean
  /** Run after the built-in ones. */
  readonly mutating?: readonly Admission[]
  readonly validating?: readonly Admission[]
}

export interface Api {
  readonly verbs: Verbs
  /** The same reads for HTTP, as bytes. */
  readonly reads: RawReads
  readonly registry: ResourceRegistry
  readonly context: ApiContext
  /** Who may do what, by the stored roles. */
  readonly roles: RoleAuthorizer
  close(): Promise<void>
}

/** Answers when the stored definitions and owners are known. */
export async function openApi(options: ApiOptions): Promise<Api> {
  const { store, clock, random, judge } = options
  const registry = new ResourceRegistry(
    options.workloadKinds === true ? await workloadDefinitions() : [],
  )
  const owners = new OwnerIndex()
  const roleIndex = new RoleIndex()
  const roles = roleAuthorizer(roleIndex)
  const admissions = new AdmissionIndex(options.skipWebhooks === true)
  const hasProvider = (group: string, resource: string) => options.hasProvider(group, resource)
  const context: ApiContext = {
    store,
    clock,
    random,
    registry,
    owners,
    lifetime: new EventLifetime(store, clock, options.eventsKeepMs),
    namespaces: new NamespacesSeen(),
    roles: roleIndex,
    admissions,
    authorizer: roles,
    judge,
    ...(options.callWebhook === undefined ? {} : { callWebhook: options.callWebhook }),
    hasProvider,
    rejectPlan: (principal, plan) => {
      if (options.rejectPlan !== undefined) return options.rejectPlan(principal, plan)
      throw apiFault("SPT-API-024", { why: "plans can't be decided yet" })
    },
    mutating: [
      engineOnlyAdmission,
      namespaceAdmission,
      definitionAdmission(registry, clock),
      loopLabelAdmission(hasProvider),
      targetFinalizerAdmission(hasProvider),
      authorsAdmission(hasProvider),
      detachedAdmission,
      promotionAdmission,
      expressionWarningsAdmission(registry),
      ...(options.mutating ?? []),
    ],
    validating: [
      ownDefinitionsAdmission(registry, hasProvider),
      targetStatusAdmission(hasProvider),
      loopAdmission,
      waveAdmission,
      invariantAdmission,
      notifierAdmission(roles),
      policyAdmission,
      adoptAdmission(hasProvider),
      createAdmission(roles, registry),
      sourceAdmission(roles, () =>
        registry.all().filter(({ group, resource }) => hasProvider(group, resource)),
      ),
      roleAdmission(roleIndex, roles),
      paramAdmission(roles, registry),
      ...(options.validating ?? []),
    ],
  }
  const followers = [
    followDefinitions(store, clock, registry),
    followOwners(store, clock, owners),
    followRoles(store, clock, roleIndex),
    followAdmission(store, clock, admissions),
  ]
  await Promise.all(followers.map((follower) => follower.synced()))
  const close = async () => {
    await Promise.all(followers.map((follower) => follower.close()))
  }
  return { verbs: makeVerbs(context), reads: rawReads(context), registry, context, roles, close }
}

export function makeVerbs(context: ApiContext): Verbs {
  return {
    get: (_, ref) => getObject(context, ref),
    list: (_, ref, options) => listObjects(context, ref, options),
    watch: (_, ref, request) => watchObjects(context, ref, request),
    create: (principal, ref, object, options) =>
      createObject(context, principal, ref, object, options),
    update: (principal, ref, object, options) =>
      updateObject(context, principal, ref, object, options),
    updateStatus: (principal, ref, object, options) =>
      updateObject(context, principal, ref, object, { ...options, subresource: "status" }),
    patch: (principal, ref, type, patch, options) =>
      patchObject(context, principal, ref, type, patch, options),
    apply: (principal, ref, object, options) =>
      applyObject(context, principal, ref, object, options),
    delete: (principal, ref, options) => deleteObject(context, principal, ref, options),
    deleteCollection: (principal, ref, options) => deleteObjects(context, principal, ref, options),
    deleteSet: (principal, keys, options) => deleteKeys(context, principal, keys, options),
    scale: scaleVerbs(context),
  }
}
