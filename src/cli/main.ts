// The command line. Gathers the commands, parses, runs one, and turns what it threw into one line,
// a hint and an exit code.

import { Command, CommanderError, Option } from "commander"
import { type Fault, toFault } from "../base/faults.ts"
import type { HttpClient } from "../client/http/http-client.ts"
import type { Cli, GlobalOptions } from "./command.ts"
import { commands } from "./commands.ts"
import { exitCode } from "./exit-codes.ts"
import { lazyClient } from "./lazy-client.ts"
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
      new Option("-o, --output <format>", "output for machines; name and wide are for get").choices(
        ["json", "yaml", "name", "wide"],
      ),
    )
    .option("--token <file>", "speak as the one whose token is in this file")
    .option("--verbose", "show the causes of errors")
    .showHelpAfterError("(run with --help for usage)")
    .exitOverride()
  const cli = createCli(parser, terminal)
  for (const command of commands) command.register(parser, cli)
  return parser
}

function createCli(parser: Command, terminal: Terminal): Cli {
  const options = () => parser.opts<GlobalOptions>()
  let client: HttpClient | undefined
  return {
    terminal,
    options,
    connect: () => {
      client ??= lazyClient(options().data, tokenOption(options()))
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

function tokenOption({ token }: GlobalOptions): { readonly tokenFile?: string } {
  return token === undefined ? {} : { tokenFile: token }
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
    if (!(error instanceof CommanderError)) throw error
    const help = error.code === "commander.helpDisplayed" || error.code === "commander.version"
    process.exitCode = help || error.exitCode === 0 ? exitCode.ok : exitCode.usage
  }
}

await main(process.argv.slice(2))
