// The file DIR/stop. It is read synchronously before every mutating call, so that writing it, by
// anyone and by any means, is enough. An empty file, or one that can't be understood, stops all.

import { closeSync, lstatSync, openSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isArray, isObject, type Json } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import type { StopEntry, StopSwitch } from "../../contract/stop.ts"
import { isCode, syncPath, writePrivateFile } from "../../store/engines/private-files.ts"

const doubt: StopEntry = {
  loop: "*",
  scope: "all",
  by: "the file DIR/stop",
  reason: "it is there and does not say less",
  at: "",
}

/** Nobody could write the file any more, and nothing that is noted now would last. */
const gone: StopEntry = {
  loop: "*",
  scope: "all",
  by: "the data directory",
  reason: "it was moved or removed while the plane ran; end the plane and bring it back",
  at: "",
}

export function stopFile(directory: string): StopSwitch {
  const path = join(directory, "stop")
  const home = identityOf(directory)
  const entriesOf = (text: string | undefined): readonly StopEntry[] => {
    if (text !== undefined) return parseStop(text)
    return identityOf(directory) === home ? [] : [gone]
  }
  return {
    entries: () => entriesOf(readStop(path)),
    change(edit) {
      // Whoever writes it meanwhile, by any means, is not overwritten: it is read once more right
      // before it is replaced.
      for (let attempt = 0; ; attempt++) {
        const text = readStop(path)
        const standing = entriesOf(text)
        const next = edit(standing)
        const meant = attempt < attemptsMax ? () => readStop(path) === text : () => true
        try {
          if (replaceStop(path, next, meant)) return next
        } catch (error) {
          if (next.length <= standing.length) throw error
          stopWithoutWords(path, error)
          return [doubt]
        }
      }
    },
  }
}

const attemptsMax = 100
const sizeMax = 4 * 1024 * 1024

/** Undefined when there is none; "" when there is one that can't be read, which stops all. */
function readStop(path: string): string | undefined {
  try {
    // Almost always there is none, and an error for every changing call would be dear.
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    // A pipe or a device would never end, a link may lead nowhere: what is odd stops, unread.
    return stat.isFile() && stat.size <= sizeMax ? readFileSync(path, "utf8") : ""
  } catch (error) {
    return isCode(error, "ENOENT") ? undefined : ""
  }
}

/** Where no word can be written any more, an empty file needs no room, and stops everything. */
function stopWithoutWords(path: string, cause: unknown): void {
  try {
    closeSync(openSync(path, "w", 0o600))
    syncPath(dirname(path))
  } catch {
    throw cause
  } finally {
    rmSync(`${path}.${process.pid}.partial`, { force: true })
  }
}

/** False when it is not meant any more, and nothing was done. */
function replaceStop(path: string, entries: readonly StopEntry[], meant: () => boolean): boolean {
  if (entries.length > 0) {
    const text = `${JSON.stringify({ format: 1, stops: entries }, null, 2)}\n`
    return writePrivateFile(path, text, { meant, writer: String(process.pid) })
  }
  if (!meant()) return false
  rmSync(path, { force: true })
  syncPath(dirname(path))
  return true
}

function identityOf(directory: string): string {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`
}

export function parseStop(text: string): readonly StopEntry[] {
  const stops = stopsOf(text)
  if (stops === undefined) return protects("stop-file-unreadable-stops") ? [doubt] : []
  return stops.map(readEntry)
}

function stopsOf(text: string): readonly Json[] | undefined {
  try {
    const parsed: Json = JSON.parse(text)
    const stops = isObject(parsed) ? parsed.stops : undefined
    return isArray(stops) && stops.length > 0 ? stops : undefined
  } catch {
    return undefined
  }
}

function readEntry(value: Json): StopEntry {
  if (!isObject(value)) return doubt
  const { loop, provider, object, scope, by, reason, at, until } = value
  const named = [loop === "*" ? undefined : loop, provider, object].filter((one) => one != null)
  if (named.length > 1 || !named.every((one) => typeof one === "string" && one !== "")) return doubt
  if (named.length === 0 && loop !== "*") return doubt
  if (scope !== "all" && scope !== "deletes") return doubt
  return {
    loop: typeof loop === "string" ? loop : "*",
    ...(typeof provider === "string" ? { provider } : {}),
    ...(typeof object === "string" ? { object } : {}),
    scope,
    by: String(by ?? "someone"),
    ...(typeof reason === "string" ? { reason } : {}),
    at: String(at ?? ""),
    ...(until === undefined ? {} : { until: String(until) }),
  }
}
