// The file DIR/stop. It is read synchronously before every mutating call, so that writing it, by
// anyone and by any means, is enough. An empty file, or one that can't be understood, stops all.

import { readFileSync, rmSync } from "node:fs"
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

export function stopFile(directory: string): StopSwitch {
  const path = join(directory, "stop")
  return {
    entries() {
      let text: string
      try {
        text = readFileSync(path, "utf8")
      } catch (error) {
        return isCode(error, "ENOENT") ? [] : [doubt]
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
