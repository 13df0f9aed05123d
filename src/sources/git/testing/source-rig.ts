// A git source over a real repository, with what a plane would know of it kept in memory.

import type { Clock } from "../../../base/clock.ts"
import type { GitScheme, GitSourceSpec } from "../../../contract/git-source.ts"
import type { Source, SourceSnapshot, TakenRevision } from "../../../contract/source.ts"
import type { GitBounds } from "../git-bounds.ts"
import { GitCopies } from "../git-copies.ts"
import type { GitProgram } from "../git-program.ts"
import { createGitSource } from "../git-source.ts"

export interface SourceRigOptions {
  readonly clock: Clock
  readonly program: GitProgram
  readonly allow?: readonly GitScheme[]
  readonly bounds?: Partial<GitBounds>
  readonly tidies?: boolean
}

export class SourceRig {
  readonly values = new Map<string, ReadonlyMap<string, string>>()
  readonly copies: GitCopies
  readonly #clock: Clock
  taken: TakenRevision | undefined
  accepted: string | undefined

  constructor({ clock, allow = ["file"], bounds = {}, tidies = false, program }: SourceRigOptions) {
    this.#clock = clock
    this.copies = new GitCopies({ program, clock, allow, bounds, tidies })
  }

  open(spec: Partial<GitSourceSpec> & { readonly url: string }): Source {
    return createGitSource({
      spec: { ref: { branch: "main" }, path: "", intervalMs: 1, allowRewrite: false, ...spec },
      ...{ loop: "default.site", namespace: "default", copies: this.copies },
      clock: this.#clock,
      random: { next: () => 0.5, bytes: (count) => new Uint8Array(count) },
      facts: {
        values: async (kind, name) => this.values.get(`${kind}/${name}`),
        taken: async () => this.taken,
        accepted: async () => this.accepted,
      },
    })
  }

  /** Reads, and takes what is good as a loop would. */
  async take(source: Source): Promise<SourceSnapshot> {
    const snapshot = await source.read(new AbortController().signal)
    if (snapshot.kind !== "complete") return snapshot
    const { revision, origin } = snapshot
    this.taken = { revision, ...(origin === undefined ? {} : { origin }) }
    return snapshot
  }
}

/** "complete 2", or the codes of what is wrong. */
export function outcome(snapshot: SourceSnapshot): string {
  if (snapshot.kind === "complete") return `complete ${snapshot.manifests.length}`
  return `${snapshot.kind} ${snapshot.issues.map(({ code }) => code).join(" ")}`
}
