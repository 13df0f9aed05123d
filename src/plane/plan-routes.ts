// Looking at plans and deciding on them.

import type { ExtensionRoute } from "../api/extensions.ts"
import { isArray, isObject, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { controllerFault } from "../controllers/faults.ts"
import { withRulesInForce } from "../controllers/plan-approval.ts"
import { actionView, approvalView, planSummary } from "../controllers/plan-object.ts"
import type { PlanDocument } from "../ledger/plan-ledger.ts"
import type { Plane } from "./plane.ts"

const pageSize = 500

export function planRoutes(plane: Plane): ExtensionRoute[] {
  const { plans } = plane.engine
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/plans",
      handler: async () => {
        const all = plane.engine.ledger.plans.all().sort(byAge)
        return toPlainJson({ plans: all.map((plan) => ({ ...summary(plane, plan) })) })
      },
    },
    {
      method: "GET",
      pattern: "/setpoint/v1/plans/:name",
      handler: async (_principal, params, query) => {
        const plan = need(plane, params.name ?? "")
        const page = Math.max(0, Number(query.get("page") ?? 0) || 0)
        const actions = plan.held.slice(page * pageSize, (page + 1) * pageSize)
        const pages = Math.ceil(plan.held.length / pageSize)
        return toPlainJson({
          ...summary(plane, plan),
          page,
          pages,
          actions: actions.map(actionView),
        })
      },
    },
    {
      method: "POST",
      pattern: "/apis/setpoint.dev/v1alpha1/namespaces/:namespace/plans/:name/approval",
      handler: async (principal, params, _query, body) => {
        const name = params.name ?? ""
        const { hash, actions, decision } = decisionOf(name, body)
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
    done: done.length,
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
