// Tokens of other people, services and agents: DIR/tokens.json, readable by the owner alone, with
// hashes only. Whoever can write it owns the plane. The running plane reads it again when it
// changed; one that can't be understood lets nobody in.

import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { TokenEntry } from "../../api/http/authenticate.ts"
import { toTimestamp } from "../../base/clock.ts"
import { sha256 } from "../../base/hash.ts"
import { isObject, type Json } from "../../base/json.ts"
import { hex, type Random } from "../../base/random.ts"
import {
  agentsGroup,
  humansGroup,
  monitorsGroup,
  type Principal,
  type PrincipalKind,
  servicesGroup,
} from "../../contract/principal.ts"
import { isCode, writePrivateFile } from "../../store/engines/private-files.ts"
import { planeFault } from "../faults.ts"

/** A monitor is a service that reads metrics and nothing else. */
export type TokenKind = PrincipalKind | "monitor"

export const tokenKinds: readonly TokenKind[] = ["human", "service", "agent", "monitor"]

export interface TokenRow {
  readonly name: string
  readonly kind: TokenKind
  /** Of the token, in hex. */
  readonly sha256: string
  readonly createdAt: string
  readonly expiresAt: string
  /** Besides that of its kind. */
  readonly groups?: readonly string[]
}

const kindGroups: Readonly<Record<TokenKind, string>> = {
  human: humansGroup,
  service: servicesGroup,
  agent: agentsGroup,
  monitor: monitorsGroup,
}

/** What every token of ours begins with. */
export const tokenPrefix = "spt_"

const tokensMax = 1000
const fileMax = 1_000_000
/** No spaces, no slash, no colon: nobody can be named like a source or the engine. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/

/** Groups of the system are nobody's to give, but the one that may do everything. */
const groupForm = /^(system:masters|(?!system:|setpoint:)[A-Za-z0-9][A-Za-z0-9:._@/-]{0,199})$/

const pathOf = (directory: string) => join(directory, "tokens.json")

export function readTokens(directory: string): readonly TokenRow[] {
  let text: string
  try {
    text = readFileSync(pathOf(directory), "utf8")
  } catch (error) {
    if (isCode(error, "ENOENT")) return []
    throw error
  }
  const rows = parse(text)
  if (rows === undefined) throw planeFault("SPT-TOKEN-001", { file: pathOf(directory) })
  return rows
}

function parse(text: string): readonly TokenRow[] | undefined {
  if (text.length > fileMax) return undefined
  try {
    const whole = JSON.parse(text) as Json
    const rows = isObject(whole) && whole.format === 1 ? whole.tokens : undefined
    return Array.isArray(rows) && rows.every(isRow) ? (rows as object as TokenRow[]) : undefined
  } catch {
    return undefined
  }
}

function isRow(value: Json): boolean {
  if (!isObject(value)) return false
  const { name, kind, sha256: hash, createdAt, expiresAt } = value
  const { groups = [] } = value
  if (!Array.isArray(groups) || !groups.every((one) => typeof one === "string")) return false
  const texts = [name, hash, createdAt, expiresAt].every((one) => typeof one === "string")
  return texts && tokenKinds.some((one) => one === kind) && !Number.isNaN(expiry(expiresAt))
}

const expiry = (value: Json | undefined): number => Date.parse(String(value))

function write(directory: string, tokens: readonly TokenRow[]): void {
  writePrivateFile(pathOf(directory), `${JSON.stringify({ format: 1, tokens }, null, 2)}\n`)
}

export interface NewToken extends Omit<Principal, "kind"> {
  readonly kind: TokenKind
  readonly lifeMs: number
}

/** The token is told once and kept by nobody. */
export function createToken(
  directory: string,
  { name, kind, lifeMs, groups = [] }: NewToken,
  owner: Principal,
  now: number,
  random: Random,
): { readonly token: string; readonly row: TokenRow } {
  const refuse = (why: string) => planeFault("SPT-TOKEN-002", { name, why })
  if (!nameForm.test(name)) {
    throw refuse("a name has 1 to 63 letters, digits, dots, dashes, underscores or @")
  }
  const odd = groups.find((group) => !groupForm.test(group))
  if (odd !== undefined) throw refuse(`"${odd.slice(0, 100)}" is no group that can be given`)
  if (name === owner.name) throw refuse("that is the owner of the plane, who has DIR/token")
  const known = readTokens(directory)
  const live = known.filter((row) => expiry(row.expiresAt) > now)
  if (live.some((row) => row.name === name)) throw refuse("that name has a token already")
  if (live.length >= tokensMax) throw refuse(`there are ${tokensMax} tokens already`)
  const token = `${tokenPrefix}${hex(random.bytes(32))}`
  const row: TokenRow = {
    ...{ name, kind, sha256: sha256(token) },
    createdAt: toTimestamp(now),
    expiresAt: toTimestamp(now + lifeMs),
    ...(groups.length === 0 ? {} : { groups }),
  }
  write(directory, [...live, row])
  return { token, row }
}

export function revokeToken(directory: string, name: string): void {
  const known = readTokens(directory)
  const rest = known.filter((row) => row.name !== name)
  if (rest.length === known.length) throw planeFault("SPT-TOKEN-003", { name })
  write(directory, rest)
}

/** Reads the file again only when it changed; asked for every request. */
export function tokenBook(directory: string, now: () => number): () => readonly TokenEntry[] {
  let seen = ""
  let rows: readonly TokenRow[] = []
  return () => {
    const state = stateOf(directory)
    if (state !== seen) {
      rows = readable(directory)
      seen = state
    }
    const live = rows.filter((row) => expiry(row.expiresAt) > now())
    return live.map(({ name, kind, sha256: hash, groups = [] }) => {
      const principal = {
        name,
        kind: kind === "monitor" ? "service" : kind,
        groups: [kindGroups[kind], ...groups],
      } as const
      return { sha256: hash, principal }
    })
  }
}

function stateOf(directory: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(pathOf(directory))
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return "none"
  }
}

function readable(directory: string): readonly TokenRow[] {
  try {
    return readTokens(directory)
  } catch {
    return [] // The owner's own token still works; `setpoint token list` says what is wrong.
  }
}
