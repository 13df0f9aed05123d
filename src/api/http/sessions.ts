// Sign-ins of the dashboard: a link that works once and soon ends, and the session that it opens.
// Only hashes are kept. A session ends after half a day, and with the plane.

import { createHash } from "node:crypto"
import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import { hex, type Random } from "../../base/random.ts"
import type { Principal } from "../../contract/principal.ts"

const linkMs = 600_000
const sessionMs = 12 * 3_600_000
const most = 256

interface Row {
  readonly principal: Principal
  /** False once what they signed in with was taken away. */
  readonly stays: () => boolean
  readonly until: number
}

export class Sessions {
  readonly #clock: Clock
  readonly #random: Random
  readonly #links = new Map<string, Row>()
  readonly #sessions = new Map<string, Row>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** The secret part of a link. */
  link(principal: Principal, stays: () => boolean = () => true): string {
    return this.#add(this.#links, { principal, stays }, linkMs)
  }

  /** The secret of a new session; undefined when the link was used, is too old, or never was. */
  open(link: string): string | undefined {
    const key = keyOf(link)
    const row = this.#find(this.#links, key)
    if (row === undefined) return undefined
    if (protects("login-link-works-once")) this.#links.delete(key)
    return this.#add(this.#sessions, row, sessionMs)
  }

  principal(session: string): Principal | undefined {
    return this.#find(this.#sessions, keyOf(session))?.principal
  }

  #add(rows: Map<string, Row>, { principal, stays }: Omit<Row, "until">, ms: number): string {
    const secret = hex(this.#random.bytes(32))
    // The oldest goes when there are too many.
    const [oldest] = rows.size >= most ? rows.keys() : []
    if (oldest !== undefined) rows.delete(oldest)
    rows.set(keyOf(secret), { principal, stays, until: this.#clock.monotonic() + ms })
    return secret
  }

  #find(rows: Map<string, Row>, key: string): Row | undefined {
    const row = rows.get(key)
    if (row === undefined) return undefined
    if (row.until > this.#clock.monotonic() && row.stays()) return row
    rows.delete(key)
    return undefined
  }
}

/** Looked up by its hash: how long that takes says nothing of the secret. */
const keyOf = (secret: string): string => createHash("sha256").update(secret).digest("hex")
