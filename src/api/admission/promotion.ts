// The trust ramp: a loop that observes is let act by a person, after so many clean rounds. A
// source, a service or an agent never promotes one, nor makes one that acts. Whoever can't wait
// says so in an annotation, which the loop then carries for everyone to see.

import { at } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { Admission } from "../../contract/admission.ts"
import { type ApiObject, setpointGroup } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { isEngine } from "./source-fields.ts"

export const promoteNowAnnotation = "setpoint.dev/promote-now"

const ranks = ["Observe", "Propose", "Enforce"]

export const promotionAdmission: Admission = {
  admit: ({ key, object, old, operation, principal }) => {
    const isLoop = key.group === setpointGroup && key.resource === "loops"
    if (!isLoop || operation === "delete") return object
    if (old === undefined && isEngine(principal)) return object // The default loop of a namespace.
    const from = String(at(old?.spec, "mode") ?? "Observe")
    const to = String(at(object.spec, "mode") ?? "Observe")
    if (ranks.indexOf(to) <= ranks.indexOf(from)) return to === "Observe" ? demoted(object) : object
    const loop = `${key.namespace}.${key.name}`
    if (principal.kind !== "human" && protects("promotion-by-a-person")) {
      throw apiFault("SPT-API-040", { loop, mode: to, principal: principal.name })
    }
    // Who makes a loop may let it act at once: there is nothing yet that it could have observed.
    if (from !== "Observe" || old === undefined) return object
    const needed = Number(at(old.spec, "cleanRounds") ?? 0)
    const clean = Number(at(old.status, "cleanRounds") ?? 0)
    const reason = object.metadata.annotations?.[promoteNowAnnotation]
    if (clean >= needed || (reason !== undefined && reason !== "")) return object
    throw apiFault("SPT-API-041", { loop, mode: to, clean, needed })
  },
}

/** A reason not to wait was for one time: a loop that observes again has to earn it again. */
function demoted(object: ApiObject): ApiObject {
  const { [promoteNowAnnotation]: used, ...annotations } = object.metadata.annotations ?? {}
  if (used === undefined) return object
  return { ...object, metadata: { ...object.metadata, annotations } }
}
