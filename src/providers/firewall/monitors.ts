// Follows `nft -j monitor`, once for each host, and tells those whose table a line names. Hints
// only: a monitor that ends is started again later, and until then the timer finds what it missed.

import type { Clock, Timer } from "../../base/clock.ts"
import type { CommandsRead } from "../../contract/commands.ts"
import type { Closeable } from "../../contract/world.ts"
import type { FirewallHostPlace } from "./firewall-spec.ts"
import { hostName, programOn } from "./host.ts"
import { monitorProgram } from "./programs.ts"

const againMs = 5000

interface Followed {
  readonly tables: Map<() => void, string>
  program?: Closeable
  timer?: Timer
}

export class Monitors {
  readonly #clock: Clock
  readonly #hosts = new Map<string, Followed>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  watch(
    commands: CommandsRead,
    host: FirewallHostPlace,
    table: string,
    changed: () => void,
  ): Closeable {
    const name = hostName(host)
    const followed: Followed = this.#hosts.get(name) ?? { tables: new Map() }
    this.#hosts.set(name, followed)
    const told = () => changed()
    followed.tables.set(told, `"${table}"`)
    if (followed.program === undefined && followed.timer === undefined) {
      this.#start(commands, host, followed)
    }
    return {
      close: () => {
        followed.tables.delete(told)
        if (followed.tables.size > 0) return
        this.#hosts.delete(name)
        followed.timer?.cancel()
        followed.program?.close()
      },
    }
  }

  #start(commands: CommandsRead, host: FirewallHostPlace, followed: Followed): void {
    const line = (text: string) => {
      for (const [told, table] of [...followed.tables]) if (text.includes(table)) told()
    }
    const ended = () => {
      delete followed.program
      if (followed.tables.size === 0) return
      followed.timer = this.#clock.after(againMs, () => {
        delete followed.timer
        this.#start(commands, host, followed)
        // What happened meanwhile was told to nobody.
        for (const told of [...followed.tables.keys()]) told()
      })
    }
    try {
      followed.program = commands.follow(programOn(host, monitorProgram, []), line, ended)
    } catch {
      // A handle that refuses does so for ever; the timer looks without hints.
    }
  }
}
