// What people decide about ownership: release a target, forget an orphan, move an object to another
// loop, give fields of a source away. Only people; each with who and why in the journal; all writes
// go through the verbs.

import type { ExtensionRoute } from "../api/extensions.ts"
import { isObject, type Json, toPlainJson } from "../base/json.ts"
import type { Principal } from "../contract/principal.ts"
import { controllerFault } from "../controllers/faults.ts"
import { kindText } from "../controllers/plan-approval.ts"
import { releaseObject } from "../controllers/release.ts"
import { type ApiObject, loopLabel, sourceAnnotation } from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { inventoryOf } from "./inventory-view.ts"
import type { Plane } from "./plane.ts"
import { journal, loopAccess, named, objectAccess, planeAccess, Sight } from "./route-access.ts"

const reasonMax = 500
const settleMs = 20
const settleMsMax = 5000

export function ownershipRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/inventory",
      access: (_params, query) =>
        query.has("loop") ? loopAccess("get", query.get("loop"), journal) : [],
      handler: async (principal, _params, query) =>
        toPlainJson(await inventoryOf(plane, query, new Sight(plane, principal))),
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/release",
      ...objectDecision("release"),
      handler: async (principal, _params, _query, body) => release(plane, principal, body),
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/inventory/forget",
      ...objectDecision("forget"),
      // A target that is left over has no object any more, and so no namespace.
      access: () => planeAccess("forget"),
      handler: async (principal, _params, _query, body) => forget(plane, principal, body),
    },
  ]
}

/** What a role must allow for it, and what services and agents are told. */
export function objectDecision(verb: string): Pick<ExtensionRoute, "access" | "onlyPeople"> {
  return {
    access: (_params, _query, body) => objectAccess(verb, named(body, "object").trim()),
    onlyPeople: ({ name, kind }, _params, body) => {
      const object = named(body, "object") || named(body, "target")
      const facts = { verb, object, principal: name, kind: kindText[kind] }
      return controllerFault("SPT-OWN-001", facts)
    },
  }
}

/** Only a person decides, and says why. */
export function decisionOf(verb: string, principal: Principal, body: Json | undefined) {
  const given = isObject(body) ? body : {}
  const text = (name: string) => (typeof given[name] === "string" ? String(given[name]).trim() : "")
  const object = text("object") || text("target")
  if (principal.kind !== "human") {
    const { name, kind } = principal
    throw controllerFault("SPT-OWN-001", { verb, object, principal: name, kind: kindText[kind] })
  }
  const reason = text("reason")
  if (reason === "" || reason.length > reasonMax) {
    throw controllerFault("SPT-OWN-002", { verb, object })
  }
  return { given, text, object, reason }
}

export interface Kept {
  readonly object: ApiObject
  readonly uid: string
  readonly loop: LoopEngine
}

/** The object and the loop that keeps it, or why that is not so. */
export async function keptObject(plane: Plane, verb: string, key: string): Promise<Kept> {
  const object = await plane.engine.feed?.object(key)
  const uid = object?.metadata.uid
  if (object === undefined || uid === undefined) {
    throw controllerFault("SPT-PLAN-008", { object: key })
  }
  const id = object.metadata.labels?.[loopLabel]
  const loop = id === undefined ? undefined : plane.loops.get(id)
  if (loop !== undefined) return { object, uid, loop }
  const hint = "it is stored, and nothing acts on it or on its target"
  throw controllerFault("SPT-OWN-007", { verb, object: key, cause: "no loop keeps it", hint })
}

async function release(plane: Plane, principal: Principal, body: Json | undefined): Promise<Json> {
  const { given, object: key, reason } = decisionOf("release", principal, body)
  const { object, uid, loop } = await keptObject(plane, "release", key)
  const { engine } = plane
  const record = await engine.ledger.record(uid)
  const target = record?.target ?? ""
  const marked = object.metadata.deletionTimestamp !== undefined
  if (marked && given.orphan !== true) throw controllerFault("SPT-OWN-003", { object: key, target })
  const source = object.metadata.annotations?.[sourceAnnotation]
  if (!marked && source !== undefined) {
    throw controllerFault("SPT-OWN-004", { object: key, source })
  }
  await undisturbed(plane, "release", key, { object, uid, loop }, async () => {
    await releaseObject(loop.id, key, plane.releasePorts(), { principal, reason })
  })
  if (loop.held.dropAll(uid)) await engine.plans.refresh(loop)
  await engine.plans.concluded(loop, uid)
  engine.settled.drop(key)
  engine.reporter.forget(key)
  return toPlainJson({ released: key, target, owned: record?.owned ?? false, gone: marked })
}

/**
 * Nothing acts on the object meanwhile, and nothing that was judged before does afterwards: it ends
 * when the informers know that the object is no longer this loop's.
 */
export async function undisturbed(
  plane: Plane,
  verb: string,
  key: string,
  { uid, loop }: Kept,
  work: () => Promise<void>,
): Promise<void> {
  if (loop.acting.has(uid)) {
    throw controllerFault("SPT-OWN-005", { verb, object: key, cause: "its act is under way" })
  }
  const { clock } = plane.ports
  loop.acting.add(uid)
  try {
    await work()
    const began = clock.monotonic()
    const isOld = () => {
      const entry = plane.engine.feed?.entry(key)
      return entry?.uid === uid && entry.loop === loop.id
    }
    while (isOld() && clock.monotonic() - began < settleMsMax) {
      await new Promise<void>((resolve) => clock.after(settleMs, resolve))
    }
  } finally {
    loop.letGo(uid)
  }
}

async function forget(plane: Plane, principal: Principal, body: Json | undefined): Promise<Json> {
  const { text, reason } = decisionOf("forget", principal, body)
  const target = text("target")
  const { ledger } = plane.engine
  const orphans = ledger.orphans.ofTarget(target)
  const [first] = orphans
  if (first === undefined) throw controllerFault("SPT-OWN-006", { target })
  const events = orphans.map(({ object, externalId }) => {
    const found = externalId === undefined ? {} : { externalId }
    return { type: "forgotten", object, target, reason, ...found } as const
  })
  await ledger.note(first.loop, principal, events, ledger.orphans.drop(target))
  return toPlainJson({ forgotten: target, count: orphans.length })
}
