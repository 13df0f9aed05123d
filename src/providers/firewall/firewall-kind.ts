// The kind Firewall: one nftables table of our own on this host or in one of its namespaces. Other
// tables are never read but by name, and never touched.

import type { Clock } from "../../base/clock.ts"
import type { JsonObject } from "../../base/json.ts"
import type { CommandsRead } from "../../contract/commands.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { present, unknown } from "../../contract/observation.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { defineKind } from "../../provider/define-kind.ts"
import { createTable, deleteTable, type FirewallOptions, updateTable } from "./acts.ts"
import { wrongWith } from "./check-spec.ts"
import { type Form, factsOf, specOf, withOrder } from "./facts.ts"
import { firewallSpec } from "./firewall-spec.ts"
import { hostName } from "./host.ts"
import { firewallImporter } from "./import.ts"
import { look } from "./look.ts"
import { Monitors } from "./monitors.ts"
import { NormalForms } from "./normal-form.ts"

export const firewallGroup = "firewall.setpoint.dev"

export interface FirewallKindOptions extends FirewallOptions {
  readonly clock: Clock
}

export function firewallKind(options: FirewallKindOptions): KindProvider {
  const workshop = { ...options, normal: new NormalForms() }
  const monitors = new Monitors(options.clock)
  /** What was applied last, where that can be told. */
  const formBefore = async (
    applied: JsonObject | undefined,
    commands: CommandsRead,
    signal: AbortSignal,
  ): Promise<readonly Form[]> => {
    const spec = applied === undefined ? undefined : specOf(applied)
    if (spec === undefined) return []
    const normal = await workshop.normal.of(commands, spec, signal)
    return "kind" in normal ? [] : [{ spec, normal }]
  }
  return defineKind({
    ...{ group: firewallGroup, version: "v1alpha1", kind: "Firewall", provider: "firewall" },
    description: "An nftables table with its chains, rules and sets, as a whole.",
    privileged: true,
    spec: firewallSpec,
    replaceOn: ["family", "table", "host"],
    // Acting may have to wait for a confirmation.
    timeoutMs: { observe: 20_000, act: 90_000 },
    printerColumns: [{ name: "Table", type: "string", jsonPath: ".spec.table" }],
    identity: ({ host, family, table }) => `${hostName(host)}/${family}/${table}`,
    connection: ({ host }) => hostName(host),
    // The kernel answers for what it was given, in every namespace.
    readsOwnWrites: true,
    normalize: withOrder,
    async observe({ desired, applied }, { world: { commands }, signal }) {
      const wrong = wrongWith(desired)
      if (wrong !== undefined) return unknown(wrong, true, { class: "BadSpec" })
      const sight = await look(commands, desired, signal)
      if (sight.kind !== "seen") return sight
      try {
        const normal = await workshop.normal.of(commands, desired, signal)
        if ("kind" in normal) return normal
        const before = await formBefore(applied, commands, signal)
        const forms = [{ spec: desired, normal }, ...before]
        return present(factsOf(desired, sight.dump, forms), sight.dump.token)
      } catch (error) {
        const cause = error instanceof Error ? error.message : String(error)
        return unknown(cause, false, failureOf(error))
      }
    },
    importer: firewallImporter(workshop.normal),
    create: (target, context) => createTable(target, context, workshop),
    update: (target, context) => updateTable(target, context, workshop),
    delete: (target, context) => deleteTable(target, context, workshop),
    watch: ({ desired }, { commands }, changed) =>
      monitors.watch(commands, desired.host, desired.table, changed),
  })
}
