// Reads what to stop from outside: from the body of a request and from Plane/local. Bounded; what
// can't be understood is refused, so that nobody believes to have stopped what goes on.

import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { type StopEntry, stopEnd } from "../contract/stop.ts"
import { controllerFault } from "../controllers/faults.ts"

export type AskedStop = Omit<StopEntry, "by" | "at">

const textMax = 1000
const entriesMax = 1000

const refuse = (why: string): Error => controllerFault("SPT-STOP-005", { why })

/** `by` and `at` are the plane's to say, and are passed over. */
export function readStop(value: Json, now: number): AskedStop {
  if (!isObject(value)) throw refuse("it is no object")
  const [loop, provider, object, reason, until] = [
    ...["loop", "provider", "object", "reason", "until"],
  ].map((name) => textOf(value, name))
  const named = [loop === "*" ? undefined : loop, provider, object]
  if (named.filter((one) => one !== undefined).length > 1) {
    throw refuse("it names more than one of loop, provider and object")
  }
  const { scope = "all" } = value
  if (scope !== "all" && scope !== "deletes") throw refuse("its scope is neither all nor deletes")
  if (until !== undefined) checkEnd(until, now)
  return {
    loop: loop ?? "*",
    ...(provider === undefined ? {} : { provider }),
    ...(object === undefined ? {} : { object }),
    scope,
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { until }),
  }
}

/** The list that Plane/local carries. */
export function readStops(value: Json | undefined, read: (one: Json) => StopEntry): StopEntry[] {
  if (value === undefined) return []
  if (!isArray(value)) throw refuse("spec.stop is no list")
  if (value.length > entriesMax) throw refuse(`spec.stop has more than ${entriesMax} entries`)
  return value.map(read)
}

function checkEnd(until: string, now: number): void {
  const end = stopEnd({ until })
  if (end === undefined) throw refuse("until is no time such as 2031-05-01T12:00:00Z")
  if (end <= now) throw refuse(`until is over: ${until}`)
}

function textOf(value: JsonObject, name: string): string | undefined {
  const text = value[name]
  if (text === undefined || text === null || text === "") return undefined
  if (typeof text !== "string") throw refuse(`${name} is no text`)
  if (text.length > textMax) throw refuse(`${name} is longer than ${textMax} characters`)
  return text
}
