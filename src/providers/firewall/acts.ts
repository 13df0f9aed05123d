// Makes, changes and removes the table, each in one atomic transaction. Before a change it is
// checked that no management path is cut and that the table is still the one that was read; where
// a confirmation is declared, the old rules come back by themselves unless it succeeds.

import { protects } from "../../base/protections.ts"
import type { CommandResult } from "../../contract/commands.ts"
import type { DiagnosisClass } from "../../contract/diagnosis.ts"
import type { ActContext, ActResult } from "../../contract/provider.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import { wrongWith } from "./check-spec.ts"
import type { Dump } from "./dump.ts"
import type { FirewallSpec, ManagementFlow, Probe } from "./firewall-spec.ts"
import { hostName, onHost, programOn } from "./host.ts"
import { firstLine, look } from "./look.ts"
import { cutBy } from "./management.ts"
import type { NormalForms } from "./normal-form.ts"
import { applyProgram, confirmProgram, exits, probeProgram, restoreProgram } from "./programs.ts"
import { createScript, deleteScript, restoreScript, updateScript } from "./transaction.ts"

export interface FirewallOptions {
  /** Where the old rules wait for a confirmation; it must outlive the plane's process. */
  readonly stateDirectory: string
  /** The program that runs probes: Node, by path. */
  readonly node: string
  /** Who must always get in to this host, whatever an object says. */
  management?(): readonly ManagementFlow[]
}

export interface Workshop extends FirewallOptions {
  readonly normal: NormalForms
}

type FirewallTarget = KindTarget<FirewallSpec>

const failed = (cause: string, stuck = false, ofClass?: DiagnosisClass): ActResult => ({
  kind: "failed",
  cause,
  ...(stuck ? { stuck } : {}),
  ...(ofClass === undefined ? {} : { failure: { class: ofClass } }),
})

const raced = (cause: string) => failed(cause, false, "Conflict")

/** What must hold before any rule is changed. */
function refusal(spec: FirewallSpec, workshop: Workshop): ActResult | undefined {
  const wrong = wrongWith(spec)
  if (wrong !== undefined) return failed(wrong, true, "BadSpec")
  const own = hostName(spec.host) === "" ? (workshop.management?.() ?? []) : []
  const cut = cutBy(spec, [...spec.management, ...own])
  if (cut === undefined || !protects("management-path-stays")) return undefined
  return failed(`it is refused: ${cut}`, true, "BadSpec")
}

export async function createTable(
  target: FirewallTarget,
  context: ActContext,
  workshop: Workshop,
): Promise<ActResult> {
  const { desired: spec } = target
  const refused = refusal(spec, workshop)
  if (refused !== undefined) return refused
  const sight = await look(context.world.commands, spec, context.signal)
  if (sight.kind === "unknown") return failed(sight.cause, sight.stuck)
  if (sight.kind === "seen") return raced(`table ${spec.table} exists by now; it is not replaced`)
  return change({ spec, context, workshop }, createScript(spec), undefined)
}

export async function updateTable(
  target: FirewallTarget,
  context: ActContext,
  workshop: Workshop,
): Promise<ActResult> {
  const { desired: spec } = target
  const { world, signal } = context
  const refused = refusal(spec, workshop)
  if (refused !== undefined) return refused
  const found = await lookAgain(spec, context)
  if (found === undefined) return raced(`table ${spec.table} is gone`)
  if ("kind" in found) return found
  const normal = await workshop.normal.of(world.commands, spec, signal)
  if ("kind" in normal) return failed(normal.cause, false, normal.failure?.class)
  return change({ spec, context, workshop }, updateScript(spec, found, normal), found)
}

export async function deleteTable(
  target: FirewallTarget,
  context: ActContext,
  workshop: Workshop,
): Promise<ActResult> {
  const { confirm: _, ...spec } = target.desired
  const found = await lookAgain(spec, context)
  if (found === undefined) return { kind: "done", note: "it was gone already" }
  if ("kind" in found) return found
  return change({ spec, context, workshop }, deleteScript(spec, found), found)
}

/** The table as it is now, if it is still the one that this act was planned on. */
async function lookAgain(
  spec: FirewallSpec,
  context: ActContext,
): Promise<Dump | ActResult | undefined> {
  const sight = await look(context.world.commands, spec, context.signal)
  if (sight.kind === "unknown") return failed(sight.cause, sight.stuck)
  if (sight.kind === "absent") return undefined
  if (sight.dump.token !== context.token && protects("rules-replaced-as-read")) {
    return raced(`table ${spec.table} was changed since it was looked at`)
  }
  return sight.dump
}

interface Job {
  readonly spec: FirewallSpec
  readonly context: ActContext
  readonly workshop: Workshop
}

async function change(job: Job, script: string, found: Dump | undefined): Promise<ActResult> {
  const { spec, context, workshop } = job
  const { commands } = context.world
  const watched = protects("watchdog-outlives-the-plane")
  const seconds = watched ? (spec.confirm?.withinSeconds ?? 0) : 0
  const old = seconds > 0 ? restoreScript(spec, found) : ""
  const args = [
    ...[spec.family, spec.table, found?.token ?? "", workshop.stateDirectory, keyOf(spec)],
    ...[String(seconds), String(Buffer.byteLength(old))],
  ]
  const applied = await commands.run(
    programOn(spec.host, applyProgram, args, `${old}${script}`),
    context.signal,
  )
  const refused = notApplied(spec, applied)
  if (refused !== undefined) return refused
  return seconds === 0 ? { kind: "done" } : confirm(job, applied.stdout)
}

const keyOf = ({ host, family, table }: FirewallSpec): string =>
  `${hostName(host) || "local"}.${family}.${table}`

/** Every other end than these is not known to have changed nothing. */
function notApplied(spec: FirewallSpec, { code, stderr }: CommandResult): ActResult | undefined {
  if (code === 0) return undefined
  if (code === exits.stale) return raced(`table ${spec.table} was changed since it was looked at`)
  if (code === exits.refused) return raced(`nft refused it: ${firstLine(stderr)}`)
  if (code === exits.noWayBack) {
    const why = `nft would not take the rules that are there back: ${firstLine(stderr)}`
    return failed(`${why}; remove what is not declared by hand, or change it without confirm`)
  }
  if (code === exits.noWatchdog) {
    return failed(`the watchdog could not be started: ${firstLine(stderr)}`)
  }
  throw new Error(`the change ended with exit code ${code}: ${firstLine(stderr)}`)
}

async function confirm({ spec, context, workshop }: Job, pending: string): Promise<ActResult> {
  const { commands } = context.world
  const { probe, withinSeconds } = spec.confirm ?? { probe: undefined, withinSeconds: 0 }
  if (probe === undefined) return { kind: "done" }
  // Half a second is left to say so before the watchdog acts.
  const ms = Math.max(500, withinSeconds * 1000 - 500)
  const reached = await commands.look(probeOn(spec, probe, workshop, ms), context.signal)
  if (reached.code === 0 || !protects("unproven-rules-go-back")) {
    const kept = await commands.run(programOn(spec.host, confirmProgram, [pending]), context.signal)
    if (kept.code === 0) return { kind: "done", note: "connectivity was proven" }
    return failed("the old rules came back before connectivity was proven", true)
  }
  const place = `${workshop.stateDirectory}/${keyOf(spec)}`
  const args = [pending, place]
  const back = await commands.run(programOn(spec.host, restoreProgram, args), context.signal)
  const cause = `${probeText(probe)} was not answered within ${withinSeconds} s`
  if (back.code === 0 || back.code === exits.tooLate) {
    return failed(`${cause}; the old rules are back`, true, "BadSpec")
  }
  throw new Error(`${cause}, and the old rules could not be put back: ${firstLine(back.stderr)}`)
}

function probeOn(spec: FirewallSpec, probe: Probe, { node }: Workshop, ms: number) {
  const { tcp, http } = probe
  const what =
    tcp === undefined ? ["http", http?.url ?? ""] : ["tcp", tcp.address, String(tcp.port)]
  const host = probe.from === "host" ? spec.host : {}
  const request = onHost(host, [node, "-e", probeProgram, "--", ...what, String(ms)])
  return { ...request, timeoutMs: ms + 5000 }
}

const probeText = ({ tcp, http }: Probe): string =>
  tcp === undefined ? `GET ${http?.url}` : `a connection to ${tcp.address} port ${tcp.port}`
