// What the ledger's writes cost the store. The commits of a round are noted and played again on a
// fresh store, all of them and then only those of others, each as soon as those are answered that
// it had waited for: the difference in CPU, worker thread and syncing included, is the ledger's.

import { join } from "node:path"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import type { Store, Write } from "../../src/contract/store.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { spent } from "../loop/bench-plane.ts"
import { median } from "../result.ts"

interface Noted {
  readonly writes: readonly Write[]
  /** How many commits had been answered when it was asked for. */
  readonly after: number
}

export class CommitLog {
  #noted: Noted[] = []
  /** Indexes into `noted`, in the order of their answers. */
  #answered: number[] = []

  /** Notes what passes and changes nothing. */
  watch(store: Store): void {
    const commit = store.commit.bind(store)
    store.commit = async (checks, writes) => {
      const [noted, answered] = [this.#noted, this.#answered]
      const index = noted.push({ writes, after: answered.length }) - 1
      try {
        return await commit(checks, writes)
      } finally {
        answered.push(index)
      }
    }
  }

  clear(): void {
    this.#noted = []
    this.#answered = []
  }

  /** Rows of the ledger among all of them. */
  rows(): { readonly all: number; readonly ledger: number } {
    const writes = this.#noted.flatMap((one) => one.writes)
    return { all: writes.length, ledger: writes.filter(isLedger).length }
  }

  /** CPU milliseconds: everything, and what is left without the ledger. */
  async replay(base: string, times: number): Promise<{ all: number; others: number }> {
    const [all, others]: [number[], number[]] = [[], []]
    for (let time = 0; time < times; time++) {
      all.push(await this.#play(join(base, `all-${time}`), () => true))
      others.push(await this.#play(join(base, `others-${time}`), (write) => !isLedger(write)))
    }
    return { all: median(all), others: median(others) }
  }

  async #play(directory: string, keeps: (write: Write) => boolean): Promise<number> {
    const data = await openDataDirectory({ directory, clock, random })
    const commits: (Promise<unknown> | undefined)[] = []
    const { cpuMs } = await spent(async () => {
      let waited = 0
      for (const { writes, after } of this.#noted) {
        for (; waited < after; waited++) await commits[this.#answered[waited] ?? -1]
        const kept = writes.filter(keeps)
        commits.push(kept.length === 0 ? undefined : data.store.commit([], kept))
      }
      await Promise.all(commits)
    })
    await data.close()
    return cpuMs
  }
}

const isLedger = ({ key }: Write): boolean => key.startsWith("/ledger/")
