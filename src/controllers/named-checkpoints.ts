// Checkpoints that somebody asks for: made of what the loop declares now, looked at, compared and
// deleted by name. Those that the engine keeps can be looked at and compared, never written.

import { type Clock, toTimestamp } from "../base/clock.ts"
import type { Principal } from "../contract/principal.ts"
import type { CheckpointHeader } from "../ledger/checkpoint-pages.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { lastGood, lastGoodBefore, type Present } from "./checkpoint-keeper.ts"
import { controllerFault } from "./faults.ts"
import { rollbackName } from "./quarantine.ts"
import { type State, stateOf } from "./state-diff.ts"

export interface NamedCheckpointPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  /** All that the loop declares now; undefined when that is not known. */
  present(loop: string): Promise<Present | undefined>
}

const namesMax = 100
const nameRule = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/
const own: ReadonlySet<string> = new Set([lastGood, lastGoodBefore, rollbackName])
/** What `diff` calls the present. */
export const nowName = "now"

export class NamedCheckpoints {
  readonly #ports: NamedCheckpointPorts

  constructor(ports: NamedCheckpointPorts) {
    this.#ports = ports
  }

  need(loop: string, name: string): CheckpointHeader {
    const header = this.#ports.ledger.checkpoints.get(loop, name)
    if (header === undefined) throw controllerFault("SPT-CKPT-001", { loop, name })
    return header
  }

  async create(
    loop: string,
    name: string,
    principal: Principal,
    reason: string | undefined,
  ): Promise<CheckpointHeader> {
    requireName(loop, name, "create")
    const { ledger, clock } = this.#ports
    const { checkpoints } = ledger
    return checkpoints.exclusive(loop, async () => {
      const refuse = (why: string, hint: string) =>
        controllerFault("SPT-CKPT-002", { verb: "create", loop, name, why, hint })
      if (checkpoints.get(loop, name) !== undefined) {
        throw refuse("there is one of that name", "choose another name, or delete that one first")
      }
      if (checkpoints.list(loop).filter(({ automatic }) => !automatic).length >= namesMax) {
        throw refuse(`the loop has ${namesMax} of them`, "delete some first")
      }
      const present = await this.#present(loop)
      const base = checkpoints.get(loop, lastGood)
      const built = await checkpoints.pin(loop, present, base)
      const { revision } = present
      const by = { by: principal.name, ...(reason === undefined ? {} : { reason }) }
      const header: CheckpointHeader = {
        ...{ format: 1, loop, name, created: toTimestamp(clock.now()), automatic: false, ...by },
        ...built.content,
        ...(revision === undefined ? {} : { revision }),
      }
      const event = checkpointEvent("created", header, reason)
      await checkpoints.commit(loop, principal, {
        puts: [header],
        drops: [],
        built,
        events: [event],
      })
      return header
    })
  }

  async remove(loop: string, name: string, principal: Principal, reason: string | undefined) {
    if (principal.kind !== "human") {
      const details = { verb: "delete", loop, name, principal: principal.name }
      throw controllerFault("SPT-CKPT-003", details)
    }
    const { checkpoints } = this.#ports.ledger
    return checkpoints.exclusive(loop, async () => {
      const header = this.need(loop, name)
      requireName(loop, name, "delete")
      const event = checkpointEvent("deleted", header, reason)
      await checkpoints.commit(loop, principal, { puts: [], drops: [name], events: [event] })
      return header
    })
  }

  /** What a checkpoint holds, or what is declared now, whole. */
  async state(loop: string, name: string): Promise<State> {
    if (name === nowName) return stateOf((await this.#present(loop)).pins.values())
    return stateOf(await this.#ports.ledger.checkpoints.pins(this.need(loop, name)))
  }

  async #present(loop: string): Promise<Present> {
    const present = await this.#ports.present(loop)
    if (present !== undefined) return present
    const { checkpoints } = this.#ports.ledger
    // Not read since the start: what was kept of the revision in force is as good.
    const kept = checkpoints.get(loop, rollbackName)
    if (kept === undefined) throw controllerFault("SPT-CKPT-004", { loop })
    const pins = stateOf(await checkpoints.pins(kept))
    return { complete: true, pins, revision: kept.revision }
  }
}

function checkpointEvent(
  change: "created" | "deleted",
  { name, root, count, revision }: CheckpointHeader,
  reason: string | undefined,
) {
  return {
    type: "checkpoint",
    ...{ change, name, root, objects: count },
    ...(revision === undefined ? {} : { revision }),
    ...(reason === undefined ? {} : { reason }),
  } as const
}

function requireName(loop: string, name: string, verb: string): void {
  const refuse = (why: string, hint: string) =>
    controllerFault("SPT-CKPT-002", { verb, loop, name: name.slice(0, 80), why, hint })
  if (own.has(name) || name === nowName) {
    throw refuse("that name is the engine's own", "choose another name")
  }
  if (!nameRule.test(name)) {
    const hint = "up to 63 small letters, digits, dots and dashes, beginning and ending plainly"
    throw refuse("that is no name", hint)
  }
}
