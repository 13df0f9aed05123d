// The kinds of this host besides files: users, groups, cron files, systemd units, packages. A plane
// that may only touch certain directories has them, but says that it may not use them.

import { unknown } from "../../contract/observation.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { AccountFiles } from "./account-files.ts"
import { cronKind } from "./cron-kind.ts"
import { groupKind } from "./group-kind.ts"
import { packageKind } from "./package-kind.ts"
import { failed } from "./results.ts"
import { unitKind } from "./unit-kind.ts"
import { userKind } from "./user-kind.ts"

export interface HostKindOptions {
  /** A directory that stands for /, as the tools' --root; the host itself by default. */
  readonly root?: string
  /** Directories that the plane may change things in; everything by default. */
  readonly roots?: readonly string[]
}

export function hostKinds(options: HostKindOptions = {}): readonly KindProvider[] {
  const { root = "", roots = ["/"] } = options
  const accounts = new AccountFiles(root)
  return [
    confined(userKind(accounts), "/etc", roots),
    confined(groupKind(accounts), "/etc", roots),
    confined(cronKind(root), "/etc/cron.d", roots),
    confined(unitKind(), "/etc/systemd/system", roots),
    packageKind(),
  ]
}

function confined(kind: KindProvider, place: string, roots: readonly string[]): KindProvider {
  const within = (root: string) => root === "/" || `${place}/`.startsWith(`${root}/`)
  if (roots.some(within)) return kind
  const cause = `${place} lies outside of the allowed roots (${roots.join(", ")})`
  const failure = { class: "Policy" } as const
  const refuse = async () => failed(cause, true, failure)
  const { watch: _, ...rest } = kind
  return {
    ...rest,
    observe: async () => unknown(cause, true, failure),
    ...{ create: refuse, update: refuse, delete: refuse },
  }
}
