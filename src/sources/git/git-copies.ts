// The copies of a plane: one for each address and Secret, shared by all loops that name both, so
// that a repository is fetched once however many loops it feeds. What no loop names any more goes
// after a while, and all of them together are bounded.

import { Slots } from "../../base/async.ts"
import type { Clock, Timer } from "../../base/clock.ts"
import { sha256 } from "../../base/hash.ts"
import { protects } from "../../base/protections.ts"
import type { GitAddress, GitScheme } from "../../contract/git-source.ts"
import { type GitBounds, gitBounds } from "./git-bounds.ts"
import { GitCopy } from "./git-copy.ts"
import type { GitProgram } from "./git-program.ts"

export interface GitCopiesOptions {
  readonly program: GitProgram
  readonly clock: Clock
  /** Besides https and ssh, and http to this host. */
  readonly allow?: readonly GitScheme[]
  readonly bounds?: Partial<GitBounds>
  /** Whether copies that lie here and that nobody opened go, too, some time after the start. */
  readonly tidies?: boolean
}

/** Processes of git at once. Servers that hang must not keep those from reading that have all. */
const atOnce = { near: 16, far: 16 }

/** A Loop that is deleted and made again, or pointed elsewhere and back, finds its copy. */
export const unwantedMs = 600_000

export class GitCopies {
  readonly #options: GitCopiesOptions
  readonly #bounds: GitBounds
  readonly #slots = { near: new Slots(atOnce.near), far: new Slots(atOnce.far) }
  readonly #copies = new Map<string, GitCopy>()
  readonly #timers = new Set<Timer>()
  readonly #stop = new AbortController()

  constructor(options: GitCopiesOptions) {
    this.#options = options
    this.#bounds = { ...gitBounds, ...options.bounds }
    if (options.tidies === true) this.#later(() => this.#removeStrangers())
  }

  allows({ scheme, loopback }: GitAddress): boolean {
    if (!protects("git-one-protocol")) return true
    if (scheme === "https" || scheme === "ssh" || (scheme === "http" && loopback)) return true
    return this.#options.allow?.includes(scheme) === true
  }

  /** `secret` is NAMESPACE/NAME or "": who has no credentials sees nothing of who has. */
  open(address: GitAddress, secret: string): GitCopy {
    const name = sha256(`${address.url}\0${secret}`).slice(0, 40)
    const known = this.#copies.get(name)
    if (known !== undefined) return known
    const { program, clock } = this.#options
    const copy = new GitCopy({
      ...{ name, address, program, clock, bounds: this.#bounds },
      ...{ signal: this.#stop.signal, slots: this.#slots, room: () => this.#room(name) },
    })
    this.#copies.set(name, copy)
    return copy
  }

  /** Who wanted it does no longer. */
  release(copy: GitCopy, who: object): void {
    copy.unwant(who)
    if (!copy.isWanted) this.#later(() => this.#removeUnwanted(copy))
  }

  /** Ends every call that is under way. */
  close(): void {
    this.#stop.abort()
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }

  /** A copy that can't be removed is tried again after the next release, or start. */
  #later(tidy: () => Promise<void>): void {
    if (this.#stop.signal.aborted) return
    const timer = this.#options.clock.after(unwantedMs, () => {
      this.#timers.delete(timer)
      void tidy().catch(() => {})
    })
    this.#timers.add(timer)
  }

  async #removeUnwanted(copy: GitCopy): Promise<void> {
    await copy.discard()
    if (!copy.isWanted) this.#copies.delete(copy.name)
  }

  /** Left by loops that were deleted while no plane ran, or shortly before it ended. */
  async #removeStrangers(): Promise<void> {
    const { program } = this.#options
    for (const name of await program.copies()) {
      if (!this.#copies.has(name)) await program.remove(name)
    }
  }

  async #room(name: string): Promise<number> {
    const { program } = this.#options
    const others = (await program.copies()).filter((one) => one !== name)
    let bytes = 0
    for (const one of others) bytes += await program.bytes(one)
    return this.#bounds.allBytes - bytes
  }
}
