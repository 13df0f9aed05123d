// `setpoint resume`: lifts a stop, through the plane only. Its ledger remembers stops, so that
// losing the file lifts nothing; without a plane this is refused rather than half done.

import { toFault } from "../../base/faults.ts"
import { at, isArray, type Json } from "../../base/json.ts"
import { type StopScope, sameStop, stopPlace } from "../../contract/stop.ts"
import type { Cli, CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"
import { cliFault } from "../faults.ts"
import { printData } from "../print-data.ts"
import { stopObject } from "../stop-object.ts"
import { type AskedStop, type StopOptions, stopScope } from "../stop-scope.ts"

export const resumeCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("resume")
      .description("lift a stop; needs the plane to be running")
      .argument("[what]", "LOOP or KIND/NAME; the stop of everything when missing")
      .option("--deletes", "lift a stop of deletes")
      .option("--provider <name>", "lift the stop of this provider")
      .option("--object <kind/name>", "lift the stop or pause of this object")
      .option("--reason <text>", "why; kept in the journal")
      .addHelpText("after", "\nExample:\n  setpoint resume edge-dns --deletes")
      .action((named: string | undefined, options: StopOptions) =>
        cli.run(() => resume(cli, stopScope(named, options, cli.options()))),
      )
  },
}

async function resume(cli: Cli, asked: AskedStop): Promise<number> {
  const before = stopsOf(await call(cli, "GET", "/setpoint/v1/status"))
  const { object } = asked
  const named = object === undefined ? {} : { object: await stopObject(object, cli.options()) }
  const scope: AskedStop = { ...asked, ...named }
  const answer = await call(cli, "POST", "/setpoint/v1/resume", { ...scope })
  if (await printData(cli, answer)) return exitCode.ok
  const { terminal } = cli
  const known = before.some((entry) => sameStop(scopeOf(entry), scope))
  const what = scope.scope === "all" ? "acting goes on" : "deletes go on"
  const where = stopPlace(scope)
  terminal.print(known ? `${what} ${where}` : `nothing to lift: no such stop ${where}`)
  for (const entry of stopsOf(answer)) {
    const [kind, by] = ["scope", "by"].map((name) => String(at(entry, name)))
    const place = stopPlace(scopeOf(entry))
    terminal.print(`${terminal.paint("red", "still STOPPED")}: ${kind} ${place} by ${by}`)
  }
  return exitCode.ok
}

function scopeOf(entry: Json): StopScope {
  const [loop, provider, object] = ["loop", "provider", "object"].map((name) => {
    const text = at(entry, name)
    return typeof text === "string" ? text : undefined
  })
  return {
    loop: loop ?? "*",
    ...(provider === undefined ? {} : { provider }),
    ...(object === undefined ? {} : { object }),
    scope: at(entry, "scope") === "deletes" ? "deletes" : "all",
  }
}

async function call(cli: Cli, method: "GET" | "POST", path: string, body?: Json): Promise<Json> {
  try {
    return await cli.connect().call(method, path, body)
  } catch (error) {
    const fault = toFault(error)
    const dead = fault.code === "SPT-CLI-001" || fault.code === "SPT-CLIENT-003"
    throw dead ? cliFault("SPT-CLI-006", { data: cli.options().data }, error) : error
  }
}

function stopsOf(answer: Json): readonly Json[] {
  const stops = at(answer, "stops")
  return isArray(stops) ? stops : []
}
