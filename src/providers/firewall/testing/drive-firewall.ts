// Calls the kind Firewall as the engine calls it, for tests: one observation or one act at a time.

import type { Clock } from "../../../base/clock.ts"
import { finishAction, type Verb } from "../../../contract/action.ts"
import type { CommandsAct } from "../../../contract/commands.ts"
import type { Observation } from "../../../contract/observation.ts"
import type { ActResult, KindProvider, Target } from "../../../contract/provider.ts"
import type { ActWorld } from "../../../contract/world.ts"
import { nodeCommands } from "../../../provider/adapter/commands.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import { firewallKind } from "../firewall-kind.ts"
import { type FirewallSpec, firewallSpec } from "../firewall-spec.ts"

export type FirewallInput = Parameters<typeof firewallSpec.parse>[0]

export class FirewallDriver {
  readonly kind: KindProvider
  world: ActWorld

  constructor(clock: Clock, stateDirectory: string, commands: CommandsAct = nodeCommands()) {
    this.kind = firewallKind({ stateDirectory, node: process.execPath, clock })
    this.world = worldWith({ commands })
  }

  target(input: FirewallInput): Target & { readonly desired: FirewallSpec } {
    const desired = firewallSpec.parse(input)
    const identity = this.kind.identity(desired)
    return { uid: "u", object: "x/default/t", desired, identity }
  }

  async observe(input: FirewallInput): Promise<Observation> {
    const { signal } = new AbortController()
    const seen = await this.kind.observe?.(this.target(input), { world: this.world, signal })
    if (seen === undefined) throw new Error("the kind has no observe")
    return seen
  }

  /** Acts on what is there now, or with the token that is given. */
  async act(verb: "create" | "update" | "delete", input: FirewallInput, given?: string) {
    const target = this.target(input)
    const seen = given === undefined ? await this.observe(input) : undefined
    const token = given ?? (seen?.kind === "present" ? seen.token : undefined)
    return this.perform(verb, target, token)
  }

  perform(verb: Verb, target: Target, token: string | undefined): Promise<ActResult> {
    const known = token === undefined ? {} : { token }
    const action = finishAction({
      ...{ verb, uid: target.uid, object: target.object, kind: "Firewall", changes: [], ...known },
      ...{ loop: "default.default", generation: 1, incarnation: 1, target: target.identity },
      cause: { kind: "edit", text: "a test" },
    })
    const { signal } = new AbortController()
    const context = { world: this.world, signal, action, idempotencyKey: "k", ...known }
    if (verb === "create") return this.kind.create(target, context)
    return verb === "delete" ? this.kind.delete(target, context) : this.kind.update(target, context)
  }
}
