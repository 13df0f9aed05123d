// Every object with a target belongs to exactly one loop. The label is set when the object is made
// and afterwards changed by nobody but the engine.

import { protects } from "../../base/protections.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import { loopId } from "../../contract/loop.ts"
import { isComposer, isSource, type Principal } from "../../contract/principal.ts"
import { type ApiObject, loopLabel } from "../../object/object.ts"
import { apiFault } from "../faults.ts"
import { sourceManagerPrefix } from "../managed-fields.ts"
import { faultNames } from "../stored-object.ts"
import { isEngine } from "./source-fields.ts"

export type HasProvider = (group: string, resource: string) => boolean

/** Cluster-scoped objects belong to loops of this namespace. */
export const systemNamespace = "setpoint-system"

export function loopLabelAdmission(hasProvider: HasProvider): Admission {
  return {
    admit: (request) => {
      const { key, object, old, principal, operation } = request
      if (operation === "delete") return object
      if (old === undefined && hasProvider(key.group, key.resource)) {
        const given = setsLoop(principal) ? object.metadata.labels?.[loopLabel] : undefined
        return withLabel(object, given ?? loopFor(request))
      }
      if (old === undefined || setsLoop(principal)) return object
      checkOwnLoop(request, old)
      const released = old.metadata.labels?.[loopLabel] === undefined
      // A released object that a source declares again is that source's from now on.
      if (released && isSource(principal) && hasProvider(key.group, key.resource)) {
        return withLabel(object, loopFor(request))
      }
      return keepLabel(request, object, old)
    },
  }
}

/** Children are in the loop of their parent. */
const setsLoop = (principal: Principal): boolean => isEngine(principal) || isComposer(principal)

/** The loop of the source that made it; else the default loop of its namespace. */
function loopFor({ principal, key }: AdmissionRequest): string {
  const namespace = key.namespace === "" ? systemNamespace : key.namespace
  if (!isSource(principal)) return loopId(namespace, "default")
  const loop = principal.name.slice(sourceManagerPrefix.length)
  return loop.includes(".") ? loop : loopId(namespace, loop)
}

/** Two sources never share an object; taking one over is a person's decision. */
function checkOwnLoop(request: AdmissionRequest, old: ApiObject): void {
  const loop = old.metadata.labels?.[loopLabel]
  if (loop === undefined || !isSource(request.principal) || loop === loopFor(request)) return
  if (!protects("one-source-per-object")) return
  throw apiFault("SPT-API-027", { ...faultNames(request.key), loop })
}

function keepLabel(request: AdmissionRequest, object: ApiObject, old: ApiObject): ApiObject {
  const before = old.metadata.labels?.[loopLabel]
  const after = object.metadata.labels?.[loopLabel]
  if (before === after) return object
  // A writer that left the label out did not mean to move the object.
  if (after === undefined && before !== undefined) return withLabel(object, before)
  throw apiFault("SPT-API-013", {
    verb: "change",
    ...faultNames(request.key),
    why: `the label ${loopLabel} is changed only by the engine`,
    way: "`setpoint move` hands it to another loop",
  })
}

function withLabel(object: ApiObject, loop: string): ApiObject {
  const labels = { ...object.metadata.labels, [loopLabel]: loop }
  return { ...object, metadata: { ...object.metadata, labels } }
}
