// Sessions of the dashboard in DIR/sessions.json, readable by the owner alone, with hashes only: a
// plane that comes back knows who was signed in. One that can't be read or written signs nobody in
// and stops nothing else. What a session stands on is looked at again with every request.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type TokenEntry, tokenGround } from "../../api/http/authenticate.ts"
import type { Ground, KeptSession, SessionBook } from "../../api/http/sessions.ts"
import { isObject, type Json } from "../../base/json.ts"
import type { SignedInBy } from "../../contract/principal.ts"
import { writePrivateFile } from "../../store/engines/private-files.ts"

const fileMax = 1_000_000

export interface GroundPorts {
  /** The owner's and those of others, as they are now. */
  tokens(): readonly TokenEntry[]
  /** What does not change while the plane runs: our own authority, an issuer. */
  readonly fixed: ReadonlySet<string>
}

/** Undefined for who signed in with nothing that can be asked again, or with what is unknown. */
export type FindGround = (by: SignedInBy | undefined) => Ground | undefined

export function sessionGrounds({ tokens, fixed }: GroundPorts): FindGround {
  const stands = (text: string): boolean =>
    fixed.has(text) || tokens().some(({ sha256 }) => tokenGround(sha256) === text)
  return (by) => {
    if (by === undefined || !stands(by.ground)) return undefined
    const { ground: text, until } = by
    return { text, ...(until === undefined ? {} : { until }), stands: () => stands(text) }
  }
}

export function sessionFile(directory: string, find: FindGround): SessionBook {
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
  return { read, write, ground: (text) => find({ ground: text }) }
}

function isKept(value: Json): boolean {
  if (!isObject(value) || !isObject(value.principal)) return false
  const { key, ground, until, principal } = value
  const texts = [key, ground, principal.name, principal.kind]
  return texts.every((one) => typeof one === "string") && typeof until === "number"
}
