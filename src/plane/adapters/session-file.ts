// Sessions of the dashboard in DIR/sessions.json, readable by the owner alone, with hashes only: a
// plane that comes back knows who was signed in. One that can't be read or written signs nobody in
// and stops nothing else.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { TokenEntry } from "../../api/http/authenticate.ts"
import {
  firmGround,
  type Ground,
  type KeptSession,
  type SessionBook,
} from "../../api/http/sessions.ts"
import { isObject, type Json } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import { writePrivateFile } from "../../store/engines/private-files.ts"

const fileMax = 1_000_000

/** What sessions can stand on; `tokens` are those of others than the owner. */
export function sessionGrounds(tokens: () => readonly TokenEntry[]) {
  const stands: Readonly<Record<string, (rest: string) => boolean>> = {
    /** One token, by its hash. */
    token: (sha256) => tokens().some((one) => one.sha256 === sha256),
    /** Any token of one name. */
    name: (name) => tokens().some(({ principal }) => principal.name === name),
    /** Up to a moment. */
    until: (ms) => systemClock.now() < Number(ms),
  }
  return (text: string): Ground | undefined => {
    if (text === "") return firmGround
    const [, kind = "", rest = ""] = /^(\w+):(.*)$/s.exec(text) ?? []
    const check = Object.hasOwn(stands, kind) ? stands[kind] : undefined
    return check === undefined ? undefined : { text, stands: () => check(rest) }
  }
}

export function sessionFile(
  directory: string,
  ground: (text: string) => Ground | undefined,
): SessionBook {
  const path = join(directory, "sessions.json")
  const read = (): readonly KeptSession[] => {
    try {
      const text = readFileSync(path, "utf8")
      const whole = text.length > fileMax ? undefined : (JSON.parse(text) as Json)
      const rows = isObject(whole) && whole.format === 1 ? whole.sessions : undefined
      return Array.isArray(rows) ? (rows.filter(isKept) as object as KeptSession[]) : []
    } catch {
      return []
    }
  }
  const write = (sessions: readonly KeptSession[]) => {
    try {
      writePrivateFile(path, `${JSON.stringify({ format: 1, sessions })}\n`)
    } catch {} // Then they end with the process.
  }
  return { read, write, ground }
}

function isKept(value: Json): boolean {
  if (!isObject(value) || !isObject(value.principal)) return false
  const { key, ground, until, principal } = value
  const texts = [key, ground, principal.name, principal.kind]
  return texts.every((one) => typeof one === "string") && typeof until === "number"
}
