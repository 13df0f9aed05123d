// Git repositories as sources of a real plane: copies in DIR/git, the git program of this host.

import { join } from "node:path"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { GitScheme } from "../../contract/git-source.ts"
import { nodeGit } from "../../sources/git/adapter/node-git.ts"
import { GitCopies } from "../../sources/git/git-copies.ts"
import { createGitSource } from "../../sources/git/git-source.ts"
import type { PlanePorts } from "../ports.ts"

export interface LocalGitOptions {
  /** The plane's data directory. */
  readonly directory: string
  /** Besides https and ssh, and http to this host. */
  readonly gitAllow?: readonly GitScheme[]
}

export interface LocalGit {
  readonly openGit: NonNullable<PlanePorts["openGit"]>
  close(): void
}

export function localGit({ directory, gitAllow = [] }: LocalGitOptions): LocalGit {
  const program = nodeGit(join(directory, "git"))
  const copies = new GitCopies({ program, clock: systemClock, allow: gitAllow, tidies: true })
  return {
    openGit: (request) =>
      createGitSource({ ...request, copies, clock: systemClock, random: systemRandom }),
    close: () => copies.close(),
  }
}
