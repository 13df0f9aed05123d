// The file DIR/stop. It is read synchronously before every mutating call, so that writing it, by
// anyone and by any means, is enough. An empty file, or one that can't be understood, stops all.

import { readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isArray, isObject, type Json } from "../../base/json.ts"
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
  return {
    entries() {
      let text: string
      try {
        text = readFileSync(path, "utf8")
      } catch (error) {
        if (!isCode(error, "ENOENT")) return [doubt]
        return identityOf(directory) === home ? [] : [gone]
      }
      return parseStop(text)
    },
    write(entries) {
      if (entries.length > 0) {
        writePrivateFile(path, `${JSON.stringify({ format: 1, stops: entries }, null, 2)}\n`)
        return
      }
      rmSync(path, { force: true })
      syncPath(dirname(path))
    },
  }
}

function identityOf(directory: string): string {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`
}

export function parseStop(text: string): readonly StopEntry[] {
  let parsed: Json
  try {
    parsed = JSON.parse(text)
  } catch {
    return [doubt]
  }
  const stops = isObject(parsed) ? parsed.stops : undefined
  if (!isArray(stops) || stops.length === 0) return [doubt]
  return stops.map(readEntry)
}

function readEntry(value: Json): StopEntry {
  if (!isObject(value)) return doubt
  const { loop, scope, by, reason, at } = value
  if (typeof loop !== "string" || (scope !== "all" && scope !== "deletes")) return doubt
  const rest = typeof reason === "string" ? { reason } : {}
  return { loop, scope, by: String(by ?? "someone"), at: String(at ?? ""), ...rest }
}
