// Returning a loop to a checkpoint, as a person asks. With a source, the revision that is in force
// is set aside and the pinned manifests take its place; the source keeper does the rest, judged as
// always. Without one, the pinned specs are written by the verbs as that person, and what came
// after is deleted as one judged set. What can't be brought back is said, never promised.

import { type Clock, toTimestamp } from "../base/clock.ts"
import { toFault } from "../base/faults.ts"
import { type Principal, sourcePrincipal } from "../contract/principal.ts"
import type { Verbs } from "../contract/verbs.ts"
import type { CheckpointHeader } from "../ledger/checkpoint-pages.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type Quarantine, quarantineText, rollbackRevision } from "../ledger/quarantines.ts"
import { parseApiVersion, parseKeyText } from "../object/object.ts"
import type { LoopEngine } from "../reconcile/loop-engine.ts"
import { lastGoodBefore } from "./checkpoint-keeper.ts"
import { controllerFault } from "./faults.ts"
import { type NamedCheckpoints, nowName } from "./named-checkpoints.ts"
import type { ServedKind } from "./place-manifest.ts"
import { endQuarantine, rollbackName } from "./quarantine.ts"
import { writePinned } from "./rollback-write.ts"
import type { SourceKeeper } from "./source-keeper.ts"
import { diffStates, type ObjectDifference, type State } from "./state-diff.ts"

export interface RollbackPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly checkpoints: NamedCheckpoints
  readonly verbs: Pick<Verbs, "get" | "create" | "update" | "deleteSet">
  loopOf(id: string): LoopEngine | undefined
  sourceOf(id: string): SourceKeeper | undefined
  servedKind(group: string, kind: string): ServedKind | undefined
  /** Fields of the spec whose change means another target. */
  replaceOn(group: string, kind: string): readonly string[]
  pendingPlan(loop: string): string | undefined
  /** A rollback was asked for, or ended by a person. */
  told(loop: LoopEngine, text: string, ended: boolean): Promise<void>
}

export interface RollbackRequest {
  readonly loop: string
  readonly to: string
  readonly reason?: string
  readonly dryRun: boolean
}

export interface RollbackAnswer {
  readonly loop: string
  readonly checkpoint: string
  /** The source revision that is set aside. */
  readonly quarantined?: string
  readonly dryRun: boolean
  readonly differences: readonly ObjectDifference[]
  /** What this does not bring back, and what waits. */
  readonly notes: readonly string[]
  readonly plan?: string
}

interface Returning {
  readonly loop: LoopEngine
  readonly header: CheckpointHeader
  readonly request: RollbackRequest
  readonly principal: Principal
  readonly differences: readonly ObjectDifference[]
  readonly then: State
}

const answerOf = ({ loop, request, differences }: Returning) => ({
  loop: loop.id,
  checkpoint: request.to,
  dryRun: request.dryRun,
  differences,
})

export class Rollbacks {
  readonly #ports: RollbackPorts

  constructor(ports: RollbackPorts) {
    this.#ports = ports
  }

  async ask(request: RollbackRequest, principal: Principal): Promise<RollbackAnswer> {
    const { checkpoints } = this.#ports
    const { to } = request
    const loop = this.#need(request.loop)
    requirePerson(loop.id, principal)
    const header = checkpoints.need(loop.id, to)
    const [now, then] = [await this.#now(loop), await checkpoints.state(loop.id, to)]
    const differences = diffStates(now, then)
    if (differences.length === 0) throw this.#same(loop.id, to)
    const plan: Returning = { loop, header, request, principal, differences, then }
    const notes = this.#limits(differences, then)
    if (this.#ports.sourceOf(loop.id) === undefined) return this.#returnObjects(plan, notes)
    return this.#returnSource(plan, notes)
  }

  /** Without a source: the verbs write what was pinned, as the person who asked. */
  async #returnObjects(plan: Returning, notes: readonly string[]): Promise<RollbackAnswer> {
    const { loop, header, request, principal } = plan
    const known = answerOf(plan)
    if (request.dryRun) {
      return { ...known, notes: [...notes, ...(await this.#tryDeletes(plan, principal))] }
    }
    const asked = { type: "rollback", state: "asked", checkpoint: request.to } as const
    await this.#ports.ledger.note(loop.id, principal, [{ ...asked, ...reasonOf(request) }])
    await this.#ports.told(loop, textOf(request, principal), false)
    const more = await writePinned(loop, header, plan, this.#ports)
    return { ...known, notes: [...notes, ...more], ...this.#plan(loop.id) }
  }

  /** With a source: its revision is set aside, and the keeper uses what was pinned. */
  async #returnSource(plan: Returning, notes: readonly string[]): Promise<RollbackAnswer> {
    const { loop, header, request, principal } = plan
    const keeper = this.#ports.sourceOf(loop.id)
    const revision = this.#ports.ledger.quarantines.get(loop.id)?.revision ?? loop.sourceRevision
    if (revision === undefined) {
      const state = keeper?.state.kind ?? "not read yet"
      throw controllerFault("SPT-ROLL-006", { loop: loop.id, state })
    }
    const known = { ...answerOf(plan), quarantined: revision }
    if (request.dryRun) {
      const more = await this.#tryDeletes(plan, sourcePrincipal(loop.id))
      return { ...known, notes: [...notes, ...more] }
    }
    await this.#setAside(loop, header, revision, request, principal)
    await keeper?.sync()
    return { ...known, notes, ...this.#plan(loop.id) }
  }

  /** A person lets the source be used again, whatever it shows. */
  async end(id: string, principal: Principal, reason: string | undefined): Promise<Quarantine> {
    const { ledger, sourceOf, told } = this.#ports
    const loop = this.#need(id)
    requirePerson(loop.id, principal)
    const quarantine = ledger.quarantines.get(loop.id)
    if (quarantine === undefined) throw controllerFault("SPT-ROLL-004", { loop: loop.id })
    const why = `lifted by ${principal.name}${reason === undefined ? "" : `: ${reason}`}`
    await endQuarantine(ledger, quarantine, principal, why)
    loop.rollback = undefined
    await told(loop, `the rollback to ${quarantine.checkpoint} was ${why}`, true)
    await sourceOf(loop.id)?.sync()
    return quarantine
  }

  #need(id: string): LoopEngine {
    const loop = this.#ports.loopOf(id)
    if (loop === undefined) throw controllerFault("SPT-ROLL-005", { loop: id.slice(0, 200) })
    return loop
  }

  /** What is declared now; what cannot be known counts as different from everything. */
  async #now(loop: LoopEngine): Promise<State> {
    try {
      return await this.#ports.checkpoints.state(loop.id, nowName)
    } catch (error) {
      if (toFault(error).code !== "SPT-CKPT-004") throw error
      const kept = this.#ports.ledger.checkpoints.list(loop.id)
      const same = kept.find((header) => header.revision === loop.sourceRevision)
      return same === undefined ? new Map() : this.#ports.checkpoints.state(loop.id, same.name)
    }
  }

  #same(loop: string, name: string): Error {
    const older = this.#ports.ledger.checkpoints.get(loop, lastGoodBefore)
    const way = `\`setpoint rollback ${loop} --to ${lastGoodBefore}\` returns to the state before`
    const hint =
      older === undefined || name === lastGoodBefore
        ? `\`setpoint checkpoint list ${loop}\` lists what can be returned to`
        : way
    return controllerFault("SPT-ROLL-003", { loop, name, hint })
  }

  /** The quarantine, what it stands on and its journal entry are one commit. */
  async #setAside(
    loop: LoopEngine,
    header: CheckpointHeader,
    revision: string,
    request: RollbackRequest,
    principal: Principal,
  ): Promise<void> {
    const { checkpoints, quarantines } = this.#ports.ledger
    const at = toTimestamp(this.#ports.clock.now())
    const quarantine: Quarantine = {
      ...{ format: 1, loop: loop.id, revision, checkpoint: request.to, root: header.root },
      ...{ by: principal.name, at, ...reasonOf(request) },
      ...(header.revision === undefined ? {} : { pinnedRevision: header.revision }),
    }
    const asked = { type: "rollback", state: "asked", checkpoint: request.to, revision } as const
    const event = { ...asked, ...reasonOf(request) }
    await checkpoints.exclusive(loop.id, async () => {
      await checkpoints.commit(loop.id, principal, {
        puts: [{ ...header, name: rollbackName, automatic: true }],
        drops: [],
        events: [event],
        writes: [quarantines.write(quarantine)],
      })
      quarantines.keep(quarantine)
    })
    await this.#ports.told(loop, quarantineText(quarantine), false)
  }

  #limits(differences: readonly ObjectDifference[], then: State): string[] {
    const notes: string[] = []
    const gone = differences.filter(({ object, change }) => {
      const pin = change === "removed" ? undefined : then.get(object)
      if (pin === undefined) return false
      return this.#ports.servedKind(parseApiVersion(pin.apiVersion).group, pin.kind) === undefined
    })
    const made = differences.filter((one) => one.change === "added" && !gone.includes(one))
    if (made.length > 0) {
      notes.push(`${objects(made)} made again: the specs come back, lost data does not`)
    }
    const replaced = differences.filter(
      (one) => one.change === "changed" && this.#replaces(one, then),
    )
    if (replaced.length > 0) {
      notes.push(`${objects(replaced)} replaced: that destroys the target and makes another`)
    }
    if (gone.length > 0) {
      notes.push(`${objects(gone)} not restored: the kind is not served any more`)
    }
    return notes
  }

  #replaces({ object, fields }: ObjectDifference, then: State): boolean {
    const pin = then.get(object)
    if (pin === undefined) return false
    const { group } = parseApiVersion(pin.apiVersion)
    const tops = this.#ports.replaceOn(group, pin.kind).map((field) => `spec.${field}`)
    return fields.some(({ path }) => tops.some((top) => path === top || path.startsWith(`${top}.`)))
  }

  /** What the judge would say to the deletes; marks nothing. */
  async #tryDeletes(
    { loop, differences, header }: Returning,
    principal: Principal,
  ): Promise<string[]> {
    const removed = differences.filter(({ change }) => change === "removed")
    if (removed.length === 0) return []
    const keys = removed.map(({ object }) => parseKeyText(object))
    const origin = this.#ports.sourceOf(loop.id) === undefined ? "collection" : "prune"
    try {
      const options = { origin, dryRun: true, sourceRevision: rollbackRevision(header) } as const
      await this.#ports.verbs.deleteSet(principal, keys, options)
      return [`${objects(removed)} deleted, within the limits`]
    } catch (error) {
      return [toFault(error).message]
    }
  }

  #plan(loop: string): { readonly plan?: string } {
    const plan = this.#ports.pendingPlan(loop)
    return plan === undefined ? {} : { plan }
  }
}

function requirePerson(loop: string, principal: Principal): void {
  if (principal.kind === "human") return
  const kind = principal.kind === "agent" ? "an agent" : "a service"
  throw controllerFault("SPT-ROLL-002", { loop, principal: principal.name, kind })
}

const reasonOf = ({ reason }: RollbackRequest) => (reason === undefined ? {} : { reason })

function textOf({ to, reason }: RollbackRequest, { name }: Principal): string {
  return `rolled back to ${to} by ${name}${reason === undefined ? "" : `: ${reason}`}`
}

/** "Widget a is", "Widget a, Widget b and 3 others are" */
export function objects(differences: readonly ObjectDifference[]): string {
  const names = differences.slice(0, 3).map(({ kind, name }) => `${kind} ${name}`)
  const more = differences.length - names.length
  const tail = more > 0 ? ` and ${more} other${more === 1 ? "" : "s"}` : ""
  return `${names.join(", ")}${tail} ${differences.length === 1 ? "is" : "are"}`
}
