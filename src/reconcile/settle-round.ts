// What becomes of a judged round: admitted actions go to the actuator, waiting ones come back, held
// ones go into the loop's plan, denied ones are reported. The counts are published before the first
// intent is written.

import type { Clock } from "../base/clock.ts"
import { equalJson } from "../base/json.ts"
import type { Action } from "../contract/action.ts"
import { enginePrincipal, type Principal } from "../contract/principal.ts"
import type { Verdict } from "../contract/verdict.ts"
import { windowState } from "../guard/time-windows.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { WorkQueue } from "../queue/work-queue.ts"
import type { Dispatcher } from "./dispatcher.ts"
import { countVerbs, type Judged, type LoopEngine } from "./loop-engine.ts"
import { noteWould } from "./note-would.ts"
import type { Reporter } from "./reporter.ts"
import { noteRound } from "./round-entry.ts"
import type { Report } from "./status.ts"

export interface SettleRoundPorts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly queue: WorkQueue
  readonly reporter: Reporter
  readonly dispatcher: Dispatcher
  heldChanged(loop: LoopEngine): Promise<void>
  /** Looks at all targets of the loop, soon. */
  lookAt(loop: LoopEngine): void
  /** Counts and verdicts of the round, for metrics and the loop's status. */
  publish(loop: LoopEngine): Promise<void>
  /** The same for metrics: before any intent, and at once. */
  judged?(loop: LoopEngine, judged: readonly Judged[]): void
}

export async function settleRound(
  loop: LoopEngine,
  judged: readonly Judged[],
  ports: SettleRoundPorts,
): Promise<void> {
  noteRound(loop, judged, ports.ledger)
  ports.judged?.(loop, judged)
  const allowed = judged.filter((one) => one.verdict.kind === "allow")
  // Before anything is waited for: a second pass meanwhile must not propose the same again.
  for (const { proposal } of allowed) {
    loop.take(proposal)
    ports.reporter.acting(proposal.key, loop.id, proposal.object, proposal.action)
  }
  try {
    await settleVerdicts(loop, judged, ports)
  } catch (error) {
    for (const { proposal } of allowed) loop.letGo(proposal.action.uid)
    for (const { proposal } of judged) ports.queue.addWithBackoff(proposal.key)
    throw error
  }
  ports.dispatcher.dispatch(
    loop,
    allowed.map((one) => one.proposal),
  )
  for (const one of judged) {
    if (one.verdict.kind === "wait") await wait(loop, one, ports)
    else if (one.verdict.kind !== "allow") await tell(loop, one, ports)
  }
}

/** What has to be known before anything acts. */
async function settleVerdicts(
  loop: LoopEngine,
  judged: readonly Judged[],
  ports: SettleRoundPorts,
): Promise<void> {
  const count = (kind: Verdict["kind"]) => judged.filter((one) => one.verdict.kind === kind).length
  const actions = judged.map((one) => one.proposal.action)
  const verdicts =
    `${count("allow")} allowed, ${count("wait")} waiting, ` +
    `${count("hold")} held, ${count("deny")} denied`
  noteLast(loop, { at: ports.clock.now(), counts: countVerbs(actions), verdicts })
  if (loop.spec.mode === "Observe") await noteWould(loop, judged, ports.ledger)
  await updateHeld(loop, judged, ports)
  await ports.publish(loop)
  const unsure = judged.some(({ verdict }) =>
    verdict.reasons.some(({ code }) => code === "VanishCheck"),
  )
  if (unsure) ports.lookAt(loop)
}

/** A round that lets nothing happen, and finds what the one before found, is no news. */
function noteLast(loop: LoopEngine, now: NonNullable<LoopEngine["lastRound"]>): void {
  const before = loop.lastRound
  const same =
    before !== undefined &&
    now.verdicts.startsWith("0 allowed") &&
    before.verdicts === now.verdicts &&
    equalJson({ ...before.counts }, { ...now.counts })
  if (!same) loop.lastRound = now
}

async function updateHeld(
  loop: LoopEngine,
  judged: readonly Judged[],
  { heldChanged }: SettleRoundPorts,
): Promise<void> {
  let changed = false
  for (const { proposal, verdict } of judged) {
    const { action, desiredHash } = proposal
    const slot = action.verb === "delete" ? "delete" : "act"
    if (verdict.kind !== "hold") {
      changed = loop.held.drop(action.uid, slot) || changed
    } else if (loop.held.get(action.uid, slot)?.action.digest !== action.digest) {
      loop.held.put({ action, origin: "round", reasons: verdict.reasons, desiredHash })
      changed = true
    }
  }
  if (changed) await heldChanged(loop)
}

async function wait(loop: LoopEngine, judged: Judged, ports: SettleRoundPorts): Promise<void> {
  ports.queue.addAfter(judged.proposal.key, waitMs(loop, judged.verdict, ports))
  await tell(loop, judged, ports)
}

/** When it is worth looking again. */
function waitMs(loop: LoopEngine, { reasons }: Verdict, ports: SettleRoundPorts): number {
  const { clock, ledger } = ports
  const waits = reasons.map(({ code }) => {
    if (code === "Window") {
      const { until } = windowState(loop.spec.windows, clock.now())
      return Math.min(waitMsMax, (until ?? Infinity) - clock.now())
    }
    if (code === "SourceStale" || code === "Wave") return sourceLookMs
    if (code !== "ChangeLimit") return 0
    const windows = [loop.spec.limits, ...loop.spec.floors.map(({ limits }) => limits)]
    return Math.max(
      ...windows.map(({ windowMs, changes }) => {
        const used = ledger.budgets.changesInWindow(loop.id, windowMs)
        return used < changes ? 0 : ledger.budgets.nextChangeSlotMs(loop.id, windowMs)
      }),
    )
  })
  return Math.max(1000, ...waits)
}

/** A clock that is set forward must not be waited for. */
const waitMsMax = 10 * 60_000
const sourceLookMs = 10_000

const states: Readonly<Record<Verdict["kind"], Report["state"]>> = {
  allow: "working",
  wait: "waiting",
  hold: "held",
  deny: "denied",
}

async function tell(loop: LoopEngine, judged: Judged, ports: SettleRoundPorts): Promise<void> {
  const { proposal, verdict } = judged
  const { action } = proposal
  const [reason] = verdict.reasons
  const plan = ports.ledger.plans.pending(loop.id)
  const inPlan = verdict.kind === "hold" && plan !== undefined ? { plan: plan.name } : {}
  await ports.reporter.report(proposal.key, loop.id, proposal.object, {
    state: states[verdict.kind],
    reason: reason?.code ?? "NoVerdict",
    message: `${action.verb} of ${action.target}: ${reason?.message ?? "no verdict"}`,
    target: action.target,
    because: { reasons: verdict.reasons },
    ...inPlan,
  })
}

/** An approved act is journaled as the approver's; anything else is the engine's own. */
export function actingPrincipal(loop: LoopEngine, action: Action): Principal {
  const approval = loop.approvals.get(action.digest)
  return approval === undefined ? enginePrincipal : { name: approval.principal, kind: "human" }
}
