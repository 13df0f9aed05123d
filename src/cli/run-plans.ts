// Showing plans and deciding on them. A decision is bound to the hash that was on the screen: what
// has changed since makes the plane refuse it and say what.

import { createInterface } from "node:readline/promises"
import { parseDuration } from "../base/clock.ts"
import { isObject } from "../base/json.ts"
import { parseLoopId } from "../contract/loop.ts"
import { endedPhases, type PlanPhase, waitingPhases } from "../contract/plan.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { ApproveOptions } from "./commands/approve.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { getPlan, listPlans, type PlanPage } from "./plan-answers.ts"
import { printDocument } from "./render/document.ts"
import { planLines, planTable } from "./render/plan-lines.ts"
import { findObject, keyOf, servedKinds } from "./resolve-kinds.ts"
import { waitUntil } from "./wait-until.ts"

const isWaiting = (phase: string): boolean => waitingPhases.has(phase as PlanPhase)
const isEnded = (phase: string): boolean => endedPhases.has(phase as PlanPhase)

export async function showPlans(cli: Cli, all: boolean): Promise<number> {
  const plans = await listPlans(cli.connect())
  const shown = plans.filter((plan) => all || !isEnded(plan.phase))
  if (await printDocument(cli, { plans: shown })) return exitCode.ok
  if (shown.length === 0) {
    const ended = plans.length === 0 ? "" : ` (${plans.length} ended; --all shows them)`
    cli.terminal.note(`nothing waits for a person${ended}`)
    return exitCode.ok
  }
  for (const line of planTable(shown, Date.now())) cli.terminal.print(line)
  return exitCode.ok
}

export async function showPlan(cli: Cli, name: string, page: number): Promise<number> {
  const plan = await getPlan(cli.connect(), name, Math.max(0, page - 1))
  if (await printDocument(cli, plan)) return exitCode.ok
  const { terminal } = cli
  for (const line of planLines(plan, terminal, Number.POSITIVE_INFINITY)) terminal.print(line)
  if (isWaiting(plan.phase)) {
    const how = (word: string) => commandText(cli.options(), `${word} ${name}`)
    terminal.print(`\nto decide: ${how("approve")}, or ${how("reject")}`)
  }
  return exitCode.ok
}

export async function approvePlan(cli: Cli, name: string, options: ApproveOptions) {
  const { terminal } = cli
  const client = cli.connect()
  const plan = await getPlan(client, name)
  const hash = options.hash ?? plan.hash
  const machine = cli.options().output === "json" || cli.options().output === "yaml"
  const open = isWaiting(plan.phase) || plan.phase === "Superseded"
  if (!machine && open) for (const line of planLines(plan, terminal)) terminal.print(line)
  if (open && options.yes !== true && options.hash === undefined) {
    if (!terminal.interactive || process.stdin.isTTY !== true) {
      throw cliFault("SPT-CLI-011", { plan: name })
    }
    if (!(await ask(`\napprove ${asked(plan, options)}? [y/N] `))) {
      terminal.print("not approved; the plan still waits")
      return exitCode.held
    }
  }
  const actions = options.action === undefined ? {} : { actions: options.action }
  const answer = await client.call("POST", approvalPath(plan), {
    ...{ hash, decision: "approve", ...actions },
  })
  const now = await getPlan(client, name)
  // Superseded: what was approved waits on in the plan that replaced it.
  const given = isObject(answer) ? String(answer.phase) : ""
  if (given !== "Executing" && given !== "Done") return tellWaiting(cli, now)
  if (!options.wait) {
    if (!machine) terminal.print(`approved; it runs now (setpoint plans ${name})`)
    return exitCode.ok
  }
  return waitDone(cli, name, options.timeout)
}

/** The approval counts, and others have to follow: nothing runs yet. */
async function tellWaiting(cli: Cli, plan: PlanPage): Promise<number> {
  if (await printDocument(cli, plan)) return exitCode.held
  const { approved, required, name } = plan
  cli.terminal.print(`approved; ${approved} of ${required} people so far, so nothing runs yet`)
  const expires = plan.expiresAt === "" ? "" : `; it expires at ${plan.expiresAt}`
  cli.terminal.print(`plan ${name} waits for others${expires}`)
  return exitCode.held
}

function asked({ summary, actionCount }: PlanPage, { action }: ApproveOptions): string {
  if (action === undefined) return summary
  return `${action.length} of ${actionCount} actions`
}

async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}

async function waitDone(cli: Cli, name: string, timeout: string): Promise<number> {
  const limitMs = parseDuration(timeout) ?? 300_000
  let plan = await getPlan(cli.connect(), name)
  const done = await waitUntil(cli, limitMs, async () => {
    plan = await getPlan(cli.connect(), name)
    const text = `${plan.phase}: ${plan.done} of ${plan.actionCount} done`
    return { done: isEnded(plan.phase), text }
  })
  if (!done) {
    const facts = { state: `${plan.phase}, ${plan.done} of ${plan.actionCount} done` }
    throw cliFault("SPT-CLI-012", { what: `plan ${name}`, seconds: limitMs / 1000, ...facts })
  }
  if (!(await printDocument(cli, plan))) {
    const note = plan.note === "" ? "" : ` (${plan.note})`
    cli.terminal.print(`plan ${name} is ${plan.phase}${note}`)
  }
  return plan.phase === "Done" ? exitCode.ok : exitCode.failed
}

export async function rejectPlan(cli: Cli, name: string): Promise<number> {
  const client = cli.connect()
  const plan = await getPlan(client, name)
  const answer = await client.call("POST", approvalPath(plan), { decision: "reject" })
  if (isObject(answer) && (await printDocument(cli, answer))) return exitCode.ok
  cli.terminal.print(`plan ${name} is Rejected: ${plan.summary} will not be done`)
  cli.terminal.print("it is not asked again until the declaration changes")
  return exitCode.ok
}

function approvalPath({ loop, name }: PlanPage): string {
  const namespace = encodeURIComponent(parseLoopId(loop).namespace)
  const plan = encodeURIComponent(name)
  return `/apis/setpoint.dev/v1alpha1/namespaces/${namespace}/plans/${plan}/approval`
}

export async function adoptObject(cli: Cli, words: readonly string[]): Promise<number> {
  const client = cli.connect()
  const named = findObject(await servedKinds(client), words)
  const object = keyOf(named, cli.options().namespace)
  const answer = await client.call("POST", "/setpoint/v1/adopt", { object })
  const plan = isObject(answer) ? String(answer.name ?? "") : ""
  const done = await waitUntil(cli, 60_000, async () => {
    const { phase } = await getPlan(client, plan)
    return { done: isEnded(phase), text: `adopting ${named.name}: ${phase}` }
  })
  if (isObject(answer) && (await printDocument(cli, answer))) return exitCode.ok
  cli.terminal.print(
    `${named.kind.kind} ${named.name} ${done ? "is ours now" : "is being adopted"}`,
  )
  return exitCode.ok
}
