// Whether a line is a command that `setpoint` would take: its command, options and arguments
// exist. Nothing is run. A line of a synopsis counts too: brackets say what may be left out, a bar
// what may be said instead, and capitals stand for something.

import { type Command, CommanderError } from "commander"
import { documentedParser } from "../../scripts/cli-page.ts"

/** As the program itself adds them. */
const globals = [
  ...["--data <dir>", "-n, --namespace <name>", "-o, --output <format>", "--token <file>"],
  ...["--kubeconfig <file>", "--context <name>", "--verbose"],
]

/** `setpoint status   # how it is` without what explains it; undefined when it is no command. */
export function commandOf(line: string): string | undefined {
  const bare = line.replace(/^\$ /, "")
  if (!/^setpoint( |$)/.test(bare)) return undefined
  return (bare.split(/\s+#|\s{2,}|\s+\d?[>&|]/)[0] ?? "").trim()
}

/** What `setpoint` would say to it, or undefined. */
export async function grammarProblem(command: string): Promise<string | undefined> {
  const parser = strict(documentedParser()).version("any")
  for (const option of globals) parser.option(option)
  try {
    await parser.parseAsync(wordsOf(command).slice(1), { from: "user" })
    return undefined
  } catch (error) {
    // What only prints, as --version does, ends with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? undefined : error.message
    throw error
  }
}

function strict(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  for (const inner of command.commands) strict(inner)
  return command
}

function wordsOf(command: string): string[] {
  const plain = command
    .replaceAll("$PWD", "/folder")
    .replaceAll(/[[\]]/g, "")
    .replaceAll(/\|\S+/g, "")
  return [...plain.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  )
}

/** Says what may stand there instead of something that can be typed. */
export function isSynopsis(line: string): boolean {
  return /\[|\b[A-Z]{2,}\b/.test(commandOf(line) ?? "")
}
