// Looking at plans and deciding on them.

import { systemNamespace } from "../api/admission/loop-label.ts"
import type { ExtensionRoute, WantedAccess } from "../api/extensions.ts"
import { isArray, isObject, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { parseLoopId } from "../contract/loop.ts"
import { isFromOutside, type Principal } from "../contract/principal.ts"
import { controllerFault } from "../controllers/faults.ts"
import { kindText, withRulesInForce } from "../controllers/plan-approval.ts"
import { approvalView, planRevision, planSummary } from "../controllers/plan-object.ts"
import type { PlanDocument } from "../ledger/plan-ledger.ts"
import { parseKeyText } from "../object/object.ts"
import { planActionView, planFacts } from "./plan-action-view.ts"
import { loosenedKinds, planStanding } from "./plan-standing-view.ts"
import type { Plane } from "./plane.ts"
import { named, Sight } from "./route-access.ts"

const pageSize = 500

export function planRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/plans",
      access: () => [],
      handler: async (principal) => {
        const sight = new Sight(plane, principal)
        const seen = plane.engine.ledger.plans.all().filter((one) => sight.plan(one.loop, one.name))
        const all = seen.sort(byAge)
        return toPlainJson({ plans: all.map((plan) => ({ ...summary(plane, plan) })) })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/plans/:name",
      access: () => [],
      handler: async (principal, params, query) => {
        const plan = needSeen(plane, params.name ?? "", new Sight(plane, principal))
        const page = Math.max(0, Number(query.get("page") ?? 0) || 0)
        const actions = plan.held.slice(page * pageSize, (page + 1) * pageSize)
        const pages = Math.ceil(plan.held.length / pageSize)
        return toPlainJson({
          ...summary(plane, plan),
          page,
          pages,
          actions: actions.map((held) => planActionView(plan, held)),
        })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/plans/:name/standing",
      access: () => [],
      handler: async (principal, params) => {
        const plan = needSeen(plane, params.name ?? "", new Sight(plane, principal))
        const standing = await planStanding(plane, plan, principal)
        return toPlainJson({ ...summary(plane, plan), ...standing })
      },
    },
    ...decisionRoutes(plane),
  ]
}

function decisionRoutes(plane: Plane): ExtensionRoute[] {
  const { plans } = plane.engine
  return [
    {
      method: "POST",
      pattern: "/apis/setpoint.dev/v1alpha1/namespaces/:namespace/plans/:name/approval",
      access: ({ namespace = "", name = "" }) => planApproval(namespace, name),
      onlyPeople: ({ name, kind }, params, body) => {
        const decision = named(body, "decision") === "reject" ? "reject" : "approve"
        const facts = { principal: name, kind: kindText[kind] }
        return controllerFault("SPT-PLAN-005", { plan: params.name ?? "", decision, ...facts })
      },
      handler: async (principal, params, _query, body) => {
        const name = params.name ?? ""
        needInNamespace(plane, name, params.namespace ?? "", principal)
        const { hash, actions, decision } = decisionOf(name, body)
        // Whoever names the hash they saw means that plan and no other.
        if (hash !== "" && hash !== need(plane, name).hash && decision === "reject") {
          throw controllerFault("SPT-PLAN-003", { plan: name, decision })
        }
        const plan =
          decision === "reject"
            ? await plans.reject(name, principal)
            : await plans.approve(name, hash, principal, actions)
        return toPlainJson(summary(plane, plan))
      },
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/adopt",
      access: (_params, _query, body) => {
        const { namespace } = parseKeyText(named(body, "object"))
        return planApproval(namespace === "" ? systemNamespace : namespace, "")
      },
      onlyPeople: ({ name, kind }, _params, body) => {
        const facts = { principal: name, kind: kindText[kind], decision: "approve" }
        return controllerFault("SPT-PLAN-005", { plan: named(body, "object"), ...facts })
      },
      handler: async (principal, _params, _query, body) => {
        const object = isObject(body) && typeof body.object === "string" ? body.object : ""
        for (const loop of plane.loops.all()) {
          const held = loop.held.all().find(({ action }) => isAdoption(action, object))
          const plan = plans.pending(loop.id)
          if (held === undefined || plan === undefined) continue
          const digests = [held.action.digest]
          const now = await plans.approve(plan.name, plan.hash, principal, digests)
          return toPlainJson(summary(plane, now))
        }
        throw controllerFault("SPT-PLAN-007", { object })
      },
    },
  ]
}

function planApproval(namespace: string, name: string): WantedAccess {
  return { verb: "approve", resource: "plans", subresource: "approval", namespace, name }
}

/** A plan that the caller must not see is refused like one that does not exist. */
function needSeen(plane: Plane, name: string, sight: Sight): PlanDocument {
  const plan = plane.engine.ledger.plans.get(name)
  const all: WantedAccess = { verb: "get", resource: "plans", name }
  const seen = plan === undefined ? sight.may(all) : sight.plan(plan.loop, name)
  if (!seen) throw sight.refuse(all)
  return need(plane, name)
}

/** Whoever may decide in one namespace must not decide in another by its name in the path. */
function needInNamespace(plane: Plane, name: string, namespace: string, principal: Principal) {
  const plan = need(plane, name)
  if (parseLoopId(plan.loop).namespace !== namespace && isFromOutside(principal)) {
    throw controllerFault("SPT-PLAN-001", { plan: name })
  }
  const looser = plan.held.some(({ action }) => loosenedKinds.has(action.kind))
  const loosen = { verb: "loosen", resource: "loops", namespace }
  const sight = new Sight(plane, principal)
  if (looser && principal.kind === "human" && !sight.may(loosen)) throw sight.refuse(loosen)
}

const isAdoption = (action: { verb: string; object: string }, object: string) =>
  action.verb === "adopt" && action.object === object

function need(plane: Plane, name: string): PlanDocument {
  const plan = plane.engine.ledger.plans.get(name)
  if (plan === undefined) throw controllerFault("SPT-PLAN-001", { plan: name })
  return plan
}

const byAge = (left: PlanDocument, right: PlanDocument) =>
  left.createdAt < right.createdAt ? -1 : left.createdAt > right.createdAt ? 1 : 0

function summary(plane: Plane, plan: PlanDocument): object {
  const { name, loop, hash, phase, note, createdAt, done, held } = plan
  const asked = withRulesInForce(plan, plane.loops.get(loop))
  const reasons = new Map(held.flatMap((one) => one.reasons).map((one) => [one.message, one]))
  return {
    ...{ name, loop, hash, phase, note, createdAt },
    ...approvalView(asked, plane.engine.ledger.time.now()),
    summary: planSummary(held),
    actionCount: held.length,
    ...planRevision(held),
    done: done.length,
    ...planFacts(plan),
    reasons: [...reasons.values()].slice(0, 10),
  }
}

/** What can't be understood is refused: it must not pass for a yes to everything. */
function decisionOf(plan: string, body: Json | undefined) {
  const given = isObject(body) ? body : {}
  const why = unclear(given)
  if (why !== undefined && protects("unclear-choice-refused")) {
    throw controllerFault("SPT-PLAN-016", { plan, why })
  }
  const actions = Array.isArray(given.actions) ? given.actions.map(String) : undefined
  return {
    hash: typeof given.hash === "string" ? given.hash : "",
    actions,
    decision: given.decision === "reject" ? "reject" : "approve",
  }
}

function unclear({ actions, decision }: JsonObject): string | undefined {
  const listed = isArray(actions) && actions.every((one) => typeof one === "string")
  if (actions !== undefined && !listed) return "actions is no list of digests"
  const known = decision === undefined || decision === "approve" || decision === "reject"
  return known ? undefined : "decision is neither approve nor reject"
}
