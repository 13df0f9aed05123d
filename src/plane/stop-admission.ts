// Stops by patch of Plane/local. Entries that are added stop, entries that are taken away are
// lifted, and only those that the object showed before: what stands in the file and is not shown
// yet is never lifted by a list that does not know of it. The file comes first, then the object.

import { equalJson, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import type { Admission, AdmissionRequest } from "../contract/admission.ts"
import { enginePrincipal } from "../contract/principal.ts"
import { type StopEntry, sameStop, stopEnd } from "../contract/stop.ts"
import { type ApiObject, setpointGroup } from "../object/object.ts"
import type { Plane } from "./plane.ts"
import { readStop, readStops } from "./read-stop.ts"
import { planeAccess, Sight } from "./route-access.ts"
import type { StopChange } from "./stop-keeper.ts"

/** So long after a patch the object shows what the file says. */
const publishAfterMs = 100

export function stopAdmission(plane: Plane): { mutating: Admission; validating: Admission } {
  return {
    mutating: {
      admit: (request) => {
        if (!isStopChange(request)) return request.object
        const stop = toPlainJson(wanted(plane, request))
        return { ...request.object, spec: { ...request.object.spec, stop } }
      },
    },
    validating: {
      admit: (request) => (isStopChange(request) ? applied(plane, request) : request.object),
    },
  }
}

/** The change, carried out. */
async function applied(plane: Plane, request: AdmissionRequest): Promise<ApiObject> {
  const { object, principal, dryRun } = request
  const change = changeOf(plane, request)
  plane.stops.permit(principal, change)
  needVerbs(new Sight(plane, principal), change)
  if (dryRun || change.stops.length + change.lifts.length === 0) return object
  await plane.stops.apply(principal, change)
  plane.ports.clock.after(publishAfterMs, () => plane.object.publishSoon())
  return object
}

/** Writing the object is not enough: stopping and lifting are verbs of their own. */
function needVerbs(sight: Sight, { stops, lifts }: StopChange): void {
  const wanted = [
    ...(stops.length > 0 ? [planeAccess("stop")] : []),
    ...(lifts.length > 0 ? [planeAccess("resume")] : []),
  ]
  for (const access of wanted) if (!sight.may(access)) throw sight.refuse(access)
}

function isStopChange({ key, principal, operation, subresource }: AdmissionRequest): boolean {
  if (key.group !== setpointGroup || key.resource !== "planes") return false
  return principal.name !== enginePrincipal.name && operation === "update" && subresource === ""
}

/** The list as it will be stored: who and when are the plane's to say. */
function wanted(plane: Plane, { object, principal, old }: AdmissionRequest): StopEntry[] {
  const shown = shownStops(old?.spec)
  return readStops(object.spec?.stop, (one) => {
    const kept = shown.find((other) => equalJson(toPlainJson(other), one))
    if (kept !== undefined) return kept // It may be over by now; then it is nobody's fault.
    return plane.stops.newEntry(principal, readStop(one, plane.ports.clock.now()))
  })
}

function changeOf(plane: Plane, { object, old }: AdmissionRequest): StopChange {
  const shown = shownStops(old?.spec)
  const asked = shownStops(object.spec)
  const standing = plane.ports.stop.entries()
  const isKept = (entry: StopEntry) => shown.some((one) => equalJson(plain(one), plain(entry)))
  const stops = asked.filter((entry) => {
    const over = (stopEnd(entry) ?? Number.POSITIVE_INFINITY) <= plane.ports.clock.now()
    return !isKept(entry) || (!over && !standing.some((one) => sameStop(one, entry)))
  })
  const lifts = shown.filter((entry) => {
    const now = asked.find((one) => sameStop(one, entry))
    return now === undefined || endOf(now) < endOf(entry)
  })
  return { stops, lifts }
}

const endOf = (entry: StopEntry): number => stopEnd(entry) ?? Number.POSITIVE_INFINITY
const plain = (entry: StopEntry): Json => toPlainJson(entry)

/** Only for what was stored, which the schema has checked. */
function shownStops(spec: JsonObject | undefined): StopEntry[] {
  return (Array.isArray(spec?.stop) ? spec.stop : []) as Json[] as readonly object[] as StopEntry[]
}
