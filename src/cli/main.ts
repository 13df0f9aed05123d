// The command line. Gathers the commands, parses, runs one, and turns what it threw into one line,
// a hint and an exit code.

import { Command, CommanderError, Option } from "commander"
import { type Fault, isFault, toFault } from "../base/faults.ts"
import type { HttpClient } from "../client/http/http-client.ts"
import type { Cli, GlobalOptions } from "./command.ts"
import { commands } from "./commands.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { clientFor } from "./lazy-client.ts"
import { printable } from "./render/printable.ts"
import { processTerminal, type Terminal } from "./terminal.ts"
import { version } from "./version.ts"

function createParser(terminal: Terminal): Command {
  const parser = new Command("setpoint")
    .description("Declare it once; Setpoint keeps it true.")
    .version(version)
    .option("--data <dir>", "the plane's data directory", "./.setpoint")
    .option("-n, --namespace <name>", "namespace of the objects", "default")
    .addOption(
      new Option(
        "-o, --output <format>",
        "output for machines; name and wide are for get, markdown for plan",
      ).choices(["json", "yaml", "name", "wide", "markdown"]),
    )
    .option("--token <file>", "speak as the one whose token is in this file")
    .option("--kubeconfig <file>", "speak to the plane that this file names, not to --data")
    .option("--context <name>", "which context of the kubeconfig; its current one when missing")
    .option("--verbose", "show the causes of errors")
    .showHelpAfterError("(run with --help for usage)")
    .exitOverride()
  const cli = createCli(parser, terminal)
  for (const command of commands) command.register(parser, cli)
  parser.hook("preAction", (_, command) => requirePlace(command, parser.opts<GlobalOptions>()))
  return parser
}

function createCli(parser: Command, terminal: Terminal): Cli {
  const options = () => parser.opts<GlobalOptions>()
  let client: HttpClient | undefined
  return {
    terminal,
    options,
    connect: () => {
      client ??= clientFor(options())
      return client
    },
    run: async (work) => {
      try {
        process.exitCode = await work()
      } catch (error) {
        process.exitCode = exitCode.failed
        printFault(terminal, toFault(error), options().verbose === true)
      } finally {
        client?.close()
      }
    },
  }
}

/** These work on a data directory itself, which a kubeconfig does not name. */
const onDirectory = new Set([
  ...["up", "serve", "plan", "demo", "token", "kubeconfig", "backup", "restore", "doctor"],
])

function requirePlace(command: Command, { kubeconfig, context }: GlobalOptions): void {
  const top = command.parent?.parent === null ? command : (command.parent ?? command)
  const refuse = (what: string, why: string, hint: string) =>
    cliFault("SPT-CLI-002", { what, why, hint })
  if (kubeconfig !== undefined && onDirectory.has(top.name())) {
    const why = `${top.name()} works on a data directory`
    throw refuse("--kubeconfig", why, "name the directory with --data")
  }
  if (context !== undefined && kubeconfig === undefined) {
    throw refuse("--context", "there is no --kubeconfig", "name the file it is in")
  }
}

function printFault(terminal: Terminal, fault: Fault, verbose: boolean): void {
  terminal.note(`${terminal.paint("red", "error:")} ${printable(fault.message)} [${fault.code}]`)
  if (fault.hint !== "")
    terminal.note(`${terminal.paint("dim", "hint:")}  ${printable(fault.hint)}`)
  for (let cause = fault.cause; verbose && cause instanceof Error; cause = cause.cause) {
    terminal.note(`  caused by: ${cause.stack ?? cause.message}`)
  }
}

export async function main(argv: readonly string[]): Promise<void> {
  const terminal = processTerminal()
  try {
    await createParser(terminal).parseAsync(argv, { from: "user" })
  } catch (error) {
    if (isFault(error)) {
      process.exitCode = exitCode.usage
      return printFault(terminal, error, false)
    }
    if (!(error instanceof CommanderError)) throw error
    const help = error.code === "commander.helpDisplayed" || error.code === "commander.version"
    process.exitCode = help || error.exitCode === 0 ? exitCode.ok : exitCode.usage
  }
}

// Not awaited: in the executable this is a plain script. What it throws is a bug and ends us.
void main(process.argv.slice(2))
