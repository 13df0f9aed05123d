// `setpoint guards test --against history`: what changed limits would have held, judged over the
// rounds that the journal remembers. Nothing changes by it.

import { parseDuration } from "../../base/clock.ts"
import { at, isArray, type Json, type JsonObject } from "../../base/json.ts"
import { loopId } from "../../contract/loop.ts"
import type { Cli, CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"
import { cliFault } from "../faults.ts"
import { printData } from "../print-data.ts"
import { printable } from "../render/printable.ts"

interface GuardsOptions {
  readonly against: string
  readonly set: readonly string[]
  readonly since?: string
}

export const guardsCommand: CliCommand = {
  register(parser, cli) {
    const guards = parser.command("guards").description("try guards out")
    guards
      .command("test")
      .description("say which past rounds changed limits would have held")
      .argument("[loop]", "one loop of the namespace; all loops when missing")
      .requiredOption("--against <what>", "what to judge again: history")
      .option("--set <field=value>", "a changed field, such as limits.deletes=2", collect, [])
      .option("--since <duration>", "only rounds of this long, such as 7d")
      .addHelpText(
        "after",
        "\nExample:\n  setpoint guards test site --against history --set limits.deletes=1",
      )
      .action((loop: string | undefined, options: GuardsOptions) =>
        cli.run(() => test(cli, loop, options)),
      )
  },
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value]

async function test(cli: Cli, loop: string | undefined, options: GuardsOptions): Promise<number> {
  if (options.against !== "history") throw cliFault("SPT-CLI-042", { what: options.against })
  const sinceMs = options.since === undefined ? undefined : parseDuration(options.since)
  if (options.since !== undefined && sinceMs === undefined) {
    throw cliFault("SPT-CLI-043", { since: options.since })
  }
  const { namespace } = cli.options()
  const answer = await cli.connect().call("POST", "/setpoint/v1/guards/test", {
    spec: specOf(options.set),
    ...(loop === undefined ? {} : { loop: loop.includes(".") ? loop : loopId(namespace, loop) }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  })
  if (await printData(cli, answer)) return exitCode.ok
  for (const line of linesOf(answer)) cli.terminal.print(line)
  return exitCode.ok
}

/** "limits.deletes=2" to { limits: { deletes: 2 } }; values are JSON where they can be. */
function specOf(pairs: readonly string[]): JsonObject {
  const spec: Record<string, Json> = {}
  for (const pair of pairs) {
    const mark = pair.indexOf("=")
    const path = pair.slice(0, Math.max(0, mark)).split(".")
    const [first = "", second, ...more] = path
    if (mark <= 0 || more.length > 0) throw cliFault("SPT-CLI-044", { pair })
    const value = readValue(pair.slice(mark + 1))
    if (second === undefined) spec[first] = value
    else spec[first] = { ...((spec[first] ?? {}) as JsonObject), [second]: value }
  }
  return spec
}

function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function linesOf(answer: Json): string[] {
  const [rounds, changed, held, allowed] = ["rounds", "changed", "heldMore", "allowedMore"].map(
    (name) => Number(at(answer, name) ?? 0),
  )
  const shown = at(answer, "shown")
  const lines = (isArray(shown) ? shown : []).flatMap((round) => {
    const [loop, time, sequence] = ["loop", "time", "sequence"].map((name) => at(round, name))
    const differences = at(round, "differences")
    const all = isArray(differences) ? differences : []
    const more = Number(at(round, "differencesCount") ?? 0) - all.slice(0, 5).length
    return [
      `${time} ${loop} entry ${sequence}`,
      ...all.slice(0, 5).map((one) => {
        const [object, verb, was, wouldBe, why] = ["object", "verb", "was", "wouldBe", "why"].map(
          (name) => printable(String(at(one, name) ?? "")),
        )
        return `  ${verb} ${object}: ${was} -> ${wouldBe}${why === "" ? "" : ` (${why})`}`
      }),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]
  })
  const total = `${changed} of ${rounds} rounds would have been judged otherwise: `
  return [...lines, `${total}${held} actions stopped, ${allowed} let through`]
}
