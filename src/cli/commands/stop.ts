// `setpoint stop`: writes DIR/stop first, durably, whether a plane runs or not; that alone is
// enough. Then it tells the plane, and lists what was in flight. A plane that does not answer must
// never keep this command from ending.

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { toFault } from "../../base/faults.ts"
import { at, isArray, type Json } from "../../base/json.ts"
import { addStop, resumeWords, type StopEntry, sameStop, stopPlace } from "../../contract/stop.ts"
import type { Cli, CliCommand } from "../command.ts"
import { commandText } from "../command-text.ts"
import { exitCode } from "../exit-codes.ts"
import { cliFault } from "../faults.ts"
import { lazyClient } from "../lazy-client.ts"
import { printData } from "../print-data.ts"
import { stopObject } from "../stop-object.ts"
import { type AskedStop, type StopOptions, stopScope, stopUntil } from "../stop-scope.ts"

const answerMs = 3000
const outcomesMs = 5000
const pollMs = 200

export const stopCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("stop")
      .description("stop all acting, or only deletes, at once: everywhere or in one place")
      .argument("[loop]", "NAME or NAMESPACE.NAME; everything when missing")
      .option("--deletes", "stop only what deletes, replaces or otherwise destroys")
      .option("--provider <name>", "only what this provider does")
      .option("--object <kind/name>", "only what is done to this object")
      .option("--for <duration>", "it ends by itself after this time, such as 2h")
      .option("--reason <text>", "why; shown in status and kept in the journal")
      .addHelpText("after", '\nExample:\n  setpoint stop --reason "wrong branch deployed"')
      .action((loop: string | undefined, options: StopOptions) =>
        cli.run(async () => {
          const asked = stopScope(loop, options, cli.options())
          const until =
            options.for === undefined ? {} : { until: stopUntil(options.for, Date.now()) }
          return stop(cli, { ...asked, ...until })
        }),
      )
  },
}

/** Also what `pause` does, which is a stop of one object that ends. */
export async function stop(cli: Cli, asked: AskedStop): Promise<number> {
  if (cli.options().kubeconfig !== undefined) return stopElsewhere(cli, asked)
  const { data } = cli.options()
  const directory = resolve(data)
  if (!existsSync(directory)) {
    const hint = "name the plane's data directory with --data"
    throw cliFault("SPT-CLI-002", { what: data, why: "there is no such directory", hint })
  }
  const { object } = asked
  const named = object === undefined ? {} : { object: await stopObject(object, cli.options()) }
  const scope: AskedStop = { ...asked, ...named }
  const { stopFile } = await import("../../plane/adapters/stop-file.ts")
  const { localPrincipal } = await import("../../plane/adapters/local-token.ts")
  const { EndingStops } = await import("../../plane/ending-stops.ts")
  const { systemClock } = await import("../../base/system.ts")
  const file = new EndingStops(stopFile(directory), systemClock)
  const before = file.entries()
  const time = `${new Date().toISOString().slice(0, 19)}Z`
  const added: StopEntry = { ...scope, by: localPrincipal().name, at: time }
  const stops = file.change((standing) => addStop(standing, added))
  const told = await tell(data, scope)
  if (told.kind === "refused") {
    // What stood before stands again; what others wrote meanwhile stays.
    const known = before.find((entry) => sameStop(entry, added))
    const others = (now: readonly StopEntry[]) => now.filter((one) => !sameStop(one, added))
    file.change((now) => [...others(now), ...(known === undefined ? [] : [known])])
    throw told.fault
  }
  const calls = told.kind === "answered" ? await outcomes(data, told.calls) : []
  const answer = { stops: stops.map((entry) => ({ ...entry })), told: told.kind, calls }
  if (await printData(cli, JSON.parse(JSON.stringify(answer)))) return exitCode.ok
  print(cli, scope, told, calls)
  return exitCode.ok
}

/** There is no file within reach: only the plane itself can be told. */
async function stopElsewhere(cli: Cli, { object, ...asked }: AskedStop): Promise<number> {
  const named = object === undefined ? {} : { object: await stopObject(object, cli.options()) }
  const scope: AskedStop = { ...asked, ...named }
  const answer = await cli.connect().call("POST", "/setpoint/v1/stop", { ...scope })
  if (await printData(cli, answer)) return exitCode.ok
  const calls = callsOf(answer)
  print(cli, scope, { kind: "answered", calls }, calls)
  return exitCode.ok
}

type Told =
  | { readonly kind: "answered"; readonly calls: readonly Json[] }
  | { readonly kind: "no-plane" | "no-answer"; readonly why: string }
  | { readonly kind: "refused"; readonly fault: Error }

async function tell(data: string, scope: AskedStop): Promise<Told> {
  let client: ReturnType<typeof lazyClient> | undefined
  try {
    client = lazyClient(data, { timeoutMs: answerMs })
    const answer = await client.call("POST", "/setpoint/v1/stop", { ...scope })
    return { kind: "answered", calls: callsOf(answer) }
  } catch (error) {
    const fault = toFault(error)
    if (fault.code.startsWith("SPT-STOP-")) return { kind: "refused", fault }
    const kind = client === undefined || isRefused(fault) ? "no-plane" : "no-answer"
    return { kind, why: fault.message }
  } finally {
    client?.close()
  }
}

function isRefused({ cause }: Error): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED"
}

/** Asks until every call that was in flight has ended, for a few seconds at most. */
async function outcomes(data: string, first: readonly Json[]): Promise<readonly Json[]> {
  let calls = first
  const client = lazyClient(data, { timeoutMs: answerMs })
  const end = performance.now() + outcomesMs
  try {
    while (calls.some((call) => at(call, "outcome") === "running") && performance.now() < end) {
      await new Promise<void>((done) => void setTimeout(done, pollMs))
      calls = callsOf(await client.call("GET", "/setpoint/v1/in-flight"))
    }
  } catch {
    return calls // What was known last is told; the stop stands whatever the plane answers.
  } finally {
    client.close()
  }
  return calls
}

function callsOf(answer: Json): readonly Json[] {
  const calls = at(answer, "calls")
  return isArray(calls) ? calls : []
}

function print(cli: Cli, scope: AskedStop, told: Told, calls: readonly Json[]): void {
  const { terminal } = cli
  const what = scope.scope === "all" ? "all acting" : "deletes"
  const end = scope.until === undefined ? "" : ` until ${scope.until}`
  const where = `${stopPlace(scope)}${end}`
  terminal.print(`${terminal.paint("red", "STOPPED")}: ${what} ${where}; nothing begins any more`)
  if (told.kind === "no-plane") terminal.print("no plane is running; the next one starts stopped")
  if (told.kind === "no-answer") {
    terminal.print(`the plane did not answer (${told.why}); it obeys the file all the same`)
  }
  for (const call of calls) terminal.print(`  ${callText(call)}`)
  if (told.kind === "answered" && calls.length === 0) terminal.print("no call was in flight")
  terminal.print(`to go on: ${commandText(cli.options(), resumeWords(scope))}`)
}

function callText(call: Json): string {
  const [outcome, name, target] = ["outcome", "call", "target"].map((key) => String(at(call, key)))
  return `in flight: ${name} of ${target}: ${outcome === "running" ? "still running" : outcome}`
}
