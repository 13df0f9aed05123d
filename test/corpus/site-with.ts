// A simulated plane with parts that a scenario changes before it starts.

import type { KindProvider } from "../../src/contract/provider.ts"
import type { Store } from "../../src/contract/store.ts"
import { Site, type SiteOptions } from "../sim/site.ts"

export interface Changes {
  kind?(kind: KindProvider, site: Site): KindProvider
  store?(store: Store, site: Site): Store
}

export async function siteWith(changes: Changes, options: SiteOptions = {}): Promise<Site> {
  const site = new Site(options)
  const { kind, store } = changes
  if (kind !== undefined) site.sim.kinds = site.sim.kinds.map((one) => kind(one, site))
  if (store !== undefined) site.sim.wrapStore = (one) => store(one, site)
  await site.sim.start()
  await site.makeLoop()
  return site
}

type Commit = Store["commit"]

/** The store, with another commit. */
export function withCommit(
  store: Store,
  commit: (...args: Parameters<Commit>) => ReturnType<Commit>,
) {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "commit") return commit
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}

/** Whether a commit puts something under this prefix. */
export const puts = (writes: Parameters<Commit>[1], prefix: string): boolean =>
  writes.some(({ kind, key }) => kind === "put" && key.startsWith(prefix))

/** As a hint of the target system would. */
export function wake(site: Site, name: string): void {
  site.sim.plane.engine.queue.add(`widgets.sim.setpoint.dev/default/${name}`)
}
