// How nft itself keeps what was declared, found out in a throw-away network namespace, so that its
// way of writing things is never taken for drift. Remembered by the hash of what was declared.

import { sha256 } from "../../base/hash.ts"
import type { CommandsRead } from "../../contract/commands.ts"
import { type Unknown, unknown } from "../../contract/observation.ts"
import { addAll, compileTable, scriptOf } from "./compile.ts"
import { type Dump, elementsOf, parseDump } from "./dump.ts"
import type { FirewallSpec } from "./firewall-spec.ts"
import { normalise } from "./host.ts"
import { firstLine } from "./look.ts"

/** Of rules and elements together, over all forms that are remembered. */
const keptMax = 300_000

export class NormalForms {
  readonly #known = new Map<string, Dump>()
  #size = 0

  async of(
    commands: CommandsRead,
    spec: FirewallSpec,
    signal: AbortSignal,
  ): Promise<Dump | Unknown> {
    // Two tables that say the same have the same form, whatever they are called.
    const plain = { ...spec, table: "setpoint_normal" }
    const text = scriptOf([
      { add: { table: { family: plain.family, name: plain.table } } },
      ...addAll(plain, compileTable(plain)),
    ])
    const key = sha256(text)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { code, stdout, stderr } = await commands.look(normalise(plain, text), signal)
    if (code !== 0) {
      const denied = /not permitted|permission denied/i.test(stderr)
      const what = denied
        ? "the rules can't be tried in a namespace"
        : "nft does not take the rules"
      const cause = `${what}: ${firstLine(stderr)}`
      return unknown(cause, false, { class: denied ? "Permission" : "BadSpec" })
    }
    const dump = parseDump(stdout)
    if (typeof dump === "string") return unknown(dump)
    this.#keep(key, dump)
    return dump
  }

  #keep(key: string, dump: Dump): void {
    if (!this.#known.has(key)) this.#size += sizeOf(dump)
    this.#known.set(key, dump)
    for (const [oldest, known] of this.#known) {
      if (this.#size <= keptMax || oldest === key) return
      this.#known.delete(oldest)
      this.#size -= sizeOf(known)
    }
  }
}

function sizeOf({ rules, sets }: Dump): number {
  const elements = [...sets.values()].reduce((sum, set) => sum + elementsOf(set).length, 0)
  return rules.length + elements + 10
}
