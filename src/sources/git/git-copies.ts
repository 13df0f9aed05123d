// The copies of a plane: one for each address and Secret, shared by all loops that name both, so
// that a repository is fetched once however many loops it feeds.

import { Slots } from "../../base/async.ts"
import type { Clock } from "../../base/clock.ts"
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
}

/** Processes of git at once. Servers that hang must not keep those from reading that have all. */
const atOnce = { near: 16, far: 16 }

export class GitCopies {
  readonly #options: GitCopiesOptions
  readonly #slots = { near: new Slots(atOnce.near), far: new Slots(atOnce.far) }
  readonly #copies = new Map<string, GitCopy>()
  readonly #stop = new AbortController()

  constructor(options: GitCopiesOptions) {
    this.#options = options
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
    const { program, clock, bounds } = this.#options
    const copy = new GitCopy({
      ...{ name, address, program, clock, bounds: { ...gitBounds, ...bounds } },
      ...{ signal: this.#stop.signal, slots: this.#slots },
    })
    this.#copies.set(name, copy)
    return copy
  }

  /** Ends every call that is under way. */
  close(): void {
    this.#stop.abort()
  }
}
