// What the plane answers about checkpoints and rollbacks, and how it is put into words. Pure.

export interface CheckpointView {
  readonly loop: string
  readonly name: string
  readonly created: string
  readonly automatic: boolean
  readonly count: number
  readonly root: string
  readonly revision?: string
  readonly by?: string
  readonly reason?: string
}

export interface ObjectDifference {
  readonly object: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly change: "added" | "removed" | "changed"
  readonly fields: readonly {
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
  }[]
}

export interface Differences {
  readonly counts: {
    readonly added: number
    readonly removed: number
    readonly changed: number
  }
  readonly page: number
  readonly pages: number
  readonly differences: readonly ObjectDifference[]
}

export interface RollbackAnswer extends Differences {
  readonly loop: string
  readonly checkpoint: string
  readonly quarantined?: string
  readonly dryRun: boolean
  readonly notes: readonly string[]
  readonly plan?: string
}

export interface RollbackView {
  readonly checkpoint: string
  readonly quarantined: string
  readonly by: string
  readonly at: string
  readonly reason?: string
  readonly pinnedRevision?: string
  readonly text: string
  readonly notRestored?: readonly string[]
}

/** "2 made again, 1 deleted, 3 changed" */
export function differenceText(
  { added, removed, changed }: Differences["counts"],
  words: { readonly added: string; readonly removed: string; readonly changed: string },
): string {
  const parts = [
    [added, words.added],
    [removed, words.removed],
    [changed, words.changed],
  ] as const
  const told = parts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]))
  return told.length === 0 ? "nothing" : told.join(", ")
}

export const whoKept = ({ automatic, by }: Pick<CheckpointView, "automatic" | "by">): string =>
  automatic ? "the engine" : (by ?? "somebody")

/** What the engine keeps for itself can't be named so. */
export const nameRule = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/
