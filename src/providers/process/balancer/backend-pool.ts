// Which backend gets the next connection: of those that are configured, and did not fail just now,
// the one with the fewest connections; in turn among equals. It counts; it never connects.

import type { BackendAddress } from "./balancer-config.ts"

const ejectionsMax = 5

export class Backend {
  readonly name: string
  address: string
  port: number
  connections = 0
  /** Configured at present; a backend that left keeps its connections for a while. */
  member = true
  failures = 0
  ejectedUntil = 0
  /** Counts up with each use, so that equals take turns. */
  lastUse = 0

  constructor({ name, address, port }: BackendAddress) {
    this.name = name
    this.address = address
    this.port = port
  }
}

export class BackendPool {
  #backends = new Map<string, Backend>()
  #uses = 0

  /** Takes over a new configuration; answers with those that left. */
  configure(wanted: readonly BackendAddress[]): readonly Backend[] {
    const next = new Map<string, Backend>()
    for (const one of wanted) {
      const known = this.#backends.get(one.name)
      const same = known?.address === one.address && known.port === one.port
      next.set(one.name, known !== undefined && same ? known : new Backend(one))
    }
    const left = [...this.#backends.values()].filter((one) => next.get(one.name) !== one)
    for (const one of left) one.member = false
    this.#backends = next
    return left
  }

  get size(): number {
    return this.#backends.size
  }

  get all(): readonly Backend[] {
    return [...this.#backends.values()]
  }

  /** The best one that was not tried yet; those that failed lately only when there is no other. */
  pick(tried: ReadonlySet<Backend>, now: number): Backend | undefined {
    const open = this.all.filter((one) => !tried.has(one))
    const well = open.filter((one) => one.ejectedUntil <= now)
    const [first] = (well.length > 0 ? well : open).sort(
      (a, b) => a.connections - b.connections || a.lastUse - b.lastUse,
    )
    return first
  }

  began(backend: Backend): void {
    backend.connections++
    backend.lastUse = ++this.#uses
  }

  ended(backend: Backend): void {
    backend.connections--
  }

  answered(backend: Backend): void {
    backend.failures = 0
    backend.ejectedUntil = 0
  }

  failed(backend: Backend, ejectMs: number, now: number): void {
    backend.failures = Math.min(backend.failures + 1, ejectionsMax)
    backend.ejectedUntil = now + ejectMs * 2 ** (backend.failures - 1)
  }
}
