// Handing over: an object to another loop, fields of a source to whoever wants to set them. Only
// people, with a reason.

import { systemNamespace } from "../api/admission/loop-label.ts"
import type { ExtensionRoute } from "../api/extensions.ts"
import { type Json, toPlainJson } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import { parseLoopId } from "../contract/loop.ts"
import type { Principal } from "../contract/principal.ts"
import { stoppedBy } from "../contract/stop.ts"
import { detachFields } from "../controllers/detach.ts"
import { controllerFault } from "../controllers/faults.ts"
import { moveObject } from "../controllers/move.ts"
import { looserIn } from "../guard/loosening.ts"
import { fieldName } from "../object/detached-fields.ts"
import { type ResourceRef, sourceAnnotation } from "../object/object.ts"
import {
  decisionOf,
  type Kept,
  keptObject,
  objectDecision,
  undisturbed,
} from "./ownership-routes.ts"
import type { Plane } from "./plane.ts"

const fieldsMax = 20

export function transferRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "POST",
      pattern: "/setpoint/v1/move",
      ...objectDecision("move"),
      handler: async (principal, _params, _query, body) => move(plane, principal, body),
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/detach",
      ...objectDecision("detach"),
      handler: async (principal, _params, _query, body) => detach(plane, principal, body),
    },
  ]
}

async function move(plane: Plane, principal: Principal, body: Json | undefined): Promise<Json> {
  const { text, object: key, reason } = decisionOf("move", principal, body)
  const kept = await keptObject(plane, "move", key)
  const { object, uid, loop } = kept
  const to = text("to")
  checkMove(plane, key, kept, to)
  const { engine } = plane
  const resource = needResource(plane, key)
  const source = object.metadata.annotations?.[sourceAnnotation]
  await undisturbed(plane, "move", key, kept, async () => {
    const order = { key, object, resource, from: loop.id, to, principal, reason }
    await moveObject(order, { ledger: engine.ledger, verbs: engine.verbs })
  })
  if (loop.held.dropAll(uid)) await engine.plans.refresh(loop)
  await engine.plans.concluded(loop, uid)
  engine.settled.drop(key)
  engine.reporter.forget(key)
  engine.queue.add(key, { priority: "high" })
  return toPlainJson({ moved: key, from: loop.id, to, source })
}

function checkMove(plane: Plane, key: string, { object, uid, loop }: Kept, to: string): void {
  const refuse = (cause: string, hint: string) =>
    controllerFault("SPT-OWN-007", { verb: "move", object: key, cause, hint })
  if (to === loop.id) throw refuse(`loop ${to} keeps it already`, "name another loop with --to")
  const next = plane.loops.get(to)
  if (next === undefined)
    throw refuse(`there is no loop ${to}`, "`setpoint status` lists the loops")
  const home = object.metadata.namespace ?? systemNamespace
  if (parseLoopId(to).namespace !== home) {
    throw refuse(`loop ${to} is not in namespace ${home}`, "a loop keeps its own namespace only")
  }
  const marked = object.metadata.deletionTimestamp !== undefined
  if (marked || plane.engine.ledger.budgets.grantOf(uid) !== undefined) {
    throw refuse("its delete is under way", "what is being deleted stays in its loop")
  }
  if (!protects("move-is-no-way-out")) return
  const looser = looserIn(loop.spec, next.spec)
  if (looser.length > 0) {
    throw refuse(`loop ${to} is looser in ${looser.join(", ")}`, tightenHint)
  }
  const subject = { loop: loop.id, provider: "", object: key, destructive: true }
  const stop = stoppedBy(plane.ports.stop.entries(), subject)
  if (stop !== undefined) throw refuse(`it is stopped by ${stop.by}`, "lift the stop first")
  const kind = plane.engine.feed?.kindOf(key)
  if (kind === undefined) return
  const one = { key, object, uid, kind, loop }
  const [broken] = plane.engine.invariants?.invariants?.(loop, [one]) ?? []
  if (broken !== undefined) throw refuse(broken.message, "change the declaration or the invariant")
}

const tightenHint =
  "give that loop the same rules first, which counts at once; or loosen the one that keeps it"

function needResource(plane: Plane, key: string): ResourceRef {
  const resource = plane.engine.feed?.kindOf(key)?.resource
  if (resource === undefined) throw controllerFault("SPT-PLAN-008", { object: key })
  return resource
}

async function detach(plane: Plane, principal: Principal, body: Json | undefined): Promise<Json> {
  const { given, object: key, reason } = decisionOf("detach", principal, body)
  const { object, loop } = await keptObject(plane, "detach", key)
  const refuse = (cause: string, hint: string) =>
    controllerFault("SPT-OWN-007", { verb: "detach", object: key, cause, hint })
  const asked = Array.isArray(given.fields) ? given.fields.map(String) : []
  if (asked.length > fieldsMax) throw refuse("too many fields are named", `at most ${fieldsMax}`)
  const fields = (asked.length === 0 ? ["spec"] : asked).map((field) => {
    const name = fieldName(field)
    if (name !== undefined) return name
    throw refuse(`${field.slice(0, 80)} is no field`, "name members with dots: spec.content")
  })
  const back = given.back === true
  if (!back && object.metadata.annotations?.[sourceAnnotation] === undefined) {
    throw refuse("no source declares it", "its fields are free already")
  }
  const { ledger, verbs } = plane.engine
  const resource = needResource(plane, key)
  const order = { key, object, resource, loop: loop.id, fields, back, principal, reason }
  const detached = await detachFields(order, { ledger, verbs })
  return toPlainJson({ object: key, detached })
}
