// Which stop a command means: everything, one loop, one provider or one object; all acting or
// deletes only; for good or for a time. Refuses what names more than one.

import { parseDuration, toTimestamp } from "../base/clock.ts"
import { loopId } from "../contract/loop.ts"
import type { StopEntry } from "../contract/stop.ts"
import type { GlobalOptions } from "./command.ts"
import { cliFault } from "./faults.ts"

export interface StopOptions {
  readonly deletes?: boolean
  readonly provider?: string
  readonly object?: string
  readonly for?: string
  readonly reason?: string
}

export type AskedStop = Omit<StopEntry, "by" | "at">

const dayMs = 86_400_000
export const stopMaxMs = 366 * dayMs
export const pauseMaxMs = 30 * dayMs

/** A loop is named NAME, in the namespace of -n, or NAMESPACE.NAME; an object has a slash. */
export function stopScope(
  named: string | undefined,
  options: StopOptions,
  { namespace }: Pick<GlobalOptions, "namespace">,
): Omit<AskedStop, "until"> {
  const { provider, reason } = options
  const isObject = named?.includes("/") === true
  const object = options.object ?? (isObject ? named : undefined)
  const loop = isObject ? undefined : named
  const several = [loop, provider, object, isObject ? options.object : undefined]
  if (several.filter((one) => one !== undefined).length > 1) {
    const why = "it names more than one of loop, provider and object"
    throw cliFault("SPT-CLI-002", { what: "this stop", why, hint: "stop one after the other" })
  }
  const id = loop === undefined || loop.includes(".") ? loop : loopId(namespace, loop)
  return {
    loop: id ?? "*",
    ...(provider === undefined ? {} : { provider }),
    ...(object === undefined ? {} : { object }),
    scope: options.deletes === true ? "deletes" : "all",
    ...(reason === undefined ? {} : { reason }),
  }
}

/** When a stop of this length ends, rounded up to a second: it is never shorter than asked. */
export function stopUntil(length: string, now: number, maxMs = stopMaxMs): string {
  const ms = parseDuration(length)
  if (ms !== undefined && ms > 0 && ms <= maxMs) {
    return toTimestamp(Math.ceil((now + ms) / 1000) * 1000)
  }
  const hint = `write a duration such as 30m, 2h or 1d, at most ${maxMs / dayMs}d`
  throw cliFault("SPT-CLI-002", { what: `--for ${length}`, why: "it is no such time", hint })
}
