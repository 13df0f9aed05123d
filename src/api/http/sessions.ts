// Sign-ins of the dashboard: a link that works once and soon ends, and the session that it opens.
// Only hashes are kept. A session ends after half a day, and with what it was opened by; nothing
// that is opened from it lasts longer than it would. Where a book is given, it outlives the plane's
// process.

import { createHash } from "node:crypto"
import type { Clock } from "../../base/clock.ts"
import { protects } from "../../base/protections.ts"
import { hex, type Random } from "../../base/random.ts"
import type { Principal } from "../../contract/principal.ts"

const linkMs = 600_000
const sessionMs = 12 * 3_600_000
const most = 256
const minuteMs = 60_000

/** What a session stands on. There is none that always stands: everybody can be let go. */
export interface Ground {
  /** In a form that can be kept. */
  readonly text: string
  /** Wall time at which it ends by itself. */
  readonly until?: number
  /** False once it was taken away. */
  stands(): boolean
}

export interface KeptSession {
  /** SHA-256 of its secret. */
  readonly key: string
  readonly principal: Principal
  readonly ground: string
  /** Wall time. */
  readonly until: number
}

/** Where sessions are when the plane is not. */
export interface SessionBook {
  read(): readonly KeptSession[]
  write(sessions: readonly KeptSession[]): void
  /** Undefined when nothing is known that stands on it. */
  ground(text: string): Ground | undefined
}

interface Row {
  readonly principal: Principal
  readonly ground: Ground
  /** By the clock that nobody sets. */
  readonly until: number
}

export class Sessions {
  readonly #clock: Clock
  readonly #random: Random
  readonly #book: SessionBook | undefined
  readonly #links = new Map<string, Row>()
  readonly #sessions = new Map<string, Row>()
  readonly failures: Failures

  constructor(clock: Clock, random: Random, book?: SessionBook) {
    this.#clock = clock
    this.#random = random
    this.#book = book
    this.failures = new Failures(clock)
    for (const { key, principal, ground: text, until } of book?.read().slice(-most) ?? []) {
      const ground = book?.ground(text)
      const leftMs = Math.min(until - clock.now(), sessionMs)
      if (ground === undefined || leftMs <= 0) continue
      this.#sessions.set(key, { principal, ground, until: clock.monotonic() + leftMs })
    }
  }

  /** The secret part of a link. */
  link(principal: Principal, ground: Ground): string {
    return this.#add(this.#links, { principal, ground }, linkMs)
  }

  /** The secret of a new session; undefined when the link was used, is too old, or never was. */
  open(link: string): string | undefined {
    const key = keyOf(link)
    const row = this.#find(this.#links, key)
    if (row === undefined) return undefined
    if (protects("login-link-works-once")) this.#links.delete(key)
    return this.start(row.principal, row.ground)
  }

  /** The secret of a new session for one who showed who they are. */
  start(principal: Principal, ground: Ground): string {
    const secret = this.#add(this.#sessions, { principal, ground }, sessionMs)
    this.#keep()
    return secret
  }

  end(session: string): void {
    if (this.#sessions.delete(keyOf(session))) this.#keep()
  }

  /** Says what the session stands on and when it ends: nothing opened from it may last longer. */
  principal(session: string): Principal | undefined {
    const row = this.#find(this.#sessions, keyOf(session))
    if (row === undefined) return undefined
    const { principal, ground, until } = row
    const leftMs = until - this.#clock.monotonic()
    const signedInBy = { ground: ground.text, until: this.#clock.now() + leftMs }
    return { ...principal, signedInBy }
  }

  #keep(): void {
    const [now, wall] = [this.#clock.monotonic(), this.#clock.now()]
    const rows = [...this.#sessions].filter(([, { until }]) => until > now)
    this.#book?.write(
      rows.map(([key, { principal, ground, until }]) => {
        return { key, principal, ground: ground.text, until: wall + (until - now) }
      }),
    )
  }

  #add(rows: Map<string, Row>, { principal, ground }: Omit<Row, "until">, maxMs: number): string {
    const ms = Math.min(maxMs, (ground.until ?? Number.POSITIVE_INFINITY) - this.#clock.now())
    const { signedInBy: _, ...who } = principal
    const secret = hex(this.#random.bytes(32))
    // The oldest goes when there are too many.
    const [oldest] = rows.size >= most ? rows.keys() : []
    if (oldest !== undefined) rows.delete(oldest)
    rows.set(keyOf(secret), { principal: who, ground, until: this.#clock.monotonic() + ms })
    return secret
  }

  #find(rows: Map<string, Row>, key: string): Row | undefined {
    const row = rows.get(key)
    if (row === undefined) return undefined
    if (row.until > this.#clock.monotonic() && row.ground.stands()) return row
    rows.delete(key)
    return undefined
  }
}

/** Attempts to sign in that failed within the last minute. */
class Failures {
  readonly #clock: Clock
  #times: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(): void {
    this.#times = [...this.#times.slice(-most), this.#clock.monotonic()]
  }

  recent(): number {
    const from = this.#clock.monotonic() - minuteMs
    return this.#times.filter((time) => time > from).length
  }
}

/** Looked up by its hash: how long that takes says nothing of the secret. */
const keyOf = (secret: string): string => createHash("sha256").update(secret).digest("hex")
