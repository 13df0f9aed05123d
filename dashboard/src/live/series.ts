// The last fifteen minutes of the loops in numbers, as far as the overview shows them.

import { computed, type ReadonlySignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { useView } from "./view.ts"

interface SeriesView {
  readonly breakers?: readonly { readonly connection: string; readonly state: string }[]
  readonly loops: readonly {
    readonly loop: string
    readonly times: readonly number[]
    readonly columns: Readonly<Record<string, readonly (number | null)[]>>
  }[]
}

export interface LoopNumbers {
  /** Drift found in each step, oldest first. */
  readonly drift: readonly number[]
  readonly driftCount: number
  /** Since when the source was last known good, in seconds; undefined without a source. */
  readonly sourceSeconds: number | undefined
}

const path = "/setpoint/v1/series?columns=drift,sourceSeconds"

export interface Numbers {
  readonly loops: ReadonlyMap<string, LoopNumbers>
  readonly breakers: NonNullable<SeriesView["breakers"]>
}

export function useNumbers(): ReadonlySignal<Numbers> {
  const { view } = useView<SeriesView>(path, { everyMs: 5000, always: true })
  return useMemo(
    () =>
      computed(() => {
        const { loops = [], breakers = [] } = view.value.data ?? {}
        return { loops: new Map(loops.map((one) => [one.loop, numbersOf(one)])), breakers }
      }),
    [view],
  )
}

function numbersOf({ columns }: SeriesView["loops"][number]): LoopNumbers {
  const drift = (columns.drift ?? []).map((one) => one ?? 0)
  const seconds = columns.sourceSeconds?.at(-1) ?? undefined
  return { drift, driftCount: drift.reduce((sum, one) => sum + one, 0), sourceSeconds: seconds }
}
