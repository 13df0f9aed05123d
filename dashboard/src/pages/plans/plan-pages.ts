// The actions of one plan, page by page as they come into sight. A plan never changes its actions;
// only how far they are does, and then the pages in sight are read again.

import { type Signal, signal } from "@preact/signals"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import type { PlanAction, PlanPageView } from "./plan-view.ts"

export const pageSize = 500

export class PlanPages {
  readonly #name: string
  readonly #pages = new Map<number, readonly PlanAction[]>()
  readonly #running = new Set<number>()
  /** Grows with every page that came. */
  readonly version: Signal<number> = signal(0)
  readonly fault: Signal<RequestFault | undefined> = signal(undefined)

  constructor(name: string) {
    this.#name = name
  }

  action(index: number): PlanAction | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize]
  }

  /** What was read so far. */
  known(): PlanAction[] {
    return [...this.#pages.values()].flat()
  }

  need(first: number, last: number): void {
    for (let page = Math.floor(first / pageSize); page * pageSize < last; page++) {
      if (!this.#pages.has(page)) void this.#read(page)
    }
  }

  /** All that were read, again. */
  refresh(): void {
    for (const page of this.#pages.keys()) void this.#read(page)
  }

  async #read(page: number): Promise<void> {
    if (this.#running.has(page)) return
    this.#running.add(page)
    try {
      const path = `/setpoint/v1/plans/${encodeURIComponent(this.#name)}?page=${page}`
      const view = await ask<PlanPageView>(path)
      this.#pages.set(page, view.actions)
      this.fault.value = undefined
      this.version.value++
    } catch (error) {
      this.fault.value = toRequestFault(error)
    } finally {
      this.#running.delete(page)
    }
  }
}
