// docs/reference/cli.md: every command with arguments and options, made from the definitions that
// the program itself parses with. The options of every command come from the program's own help.

import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Argument, Command, type Option } from "commander"
import type { Cli } from "../src/cli/command.ts"
import { commands } from "../src/cli/commands.ts"
import { processTerminal } from "../src/cli/terminal.ts"

const opening = `# The command line

Generated from the definitions of the commands by \`npm run reference\`; do not edit. What the
[exit codes](exit-codes.md) mean is a contract.

    setpoint [options] COMMAND ...
`

/** Commands register themselves; none of this is ever called for a page. */
const idle: Cli = {
  terminal: processTerminal(),
  options: () => ({ data: "", namespace: "" }),
  connect: () => {
    throw new Error("a page connects to nothing")
  },
  run: async () => {},
}

/** The parser with every command, as the program has it. */
export function documentedParser(): Command {
  const parser = new Command("setpoint")
  for (const command of commands) command.register(parser, idle)
  return parser
}

export async function cliPage(): Promise<string> {
  const parser = documentedParser()
  const visible = new Set(parser.createHelp().visibleCommands(parser))
  const shown = parser.commands.filter((command) => visible.has(command))
  const index = shown.map((command) => `| ${linkOf(command)} | ${command.description()} |`)
  const parts = [
    opening,
    ["| command | what it does |", "| --- | --- |", ...index].join("\n"),
    "",
    "## Options of every command",
    "",
    globalTable(),
    ...shown.flatMap((command) => ["", ...sectionOf(command, "setpoint", "##")]),
  ]
  return `${parts.join("\n")}\n`
}

function linkOf(command: Command): string {
  return `[\`setpoint ${command.name()}\`](#setpoint-${command.name()})`
}

function sectionOf(command: Command, parent: string, level: string): string[] {
  const name = `${parent} ${command.name()}`
  const { registeredArguments: args, options, commands: inner } = command
  const usage = [name, command.usage()].join(" ").trim()
  return [
    `${level} ${name}`,
    "",
    sentence(command.description()),
    "",
    `    ${usage}`,
    ...(args.length === 0 ? [] : ["", argumentTable(args)]),
    ...(options.length === 0 ? [] : ["", optionTable(options.filter((one) => !one.hidden))]),
    ...inner.flatMap((one) => ["", ...sectionOf(one, name, `${level}#`)]),
  ]
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}

function argumentTable(args: readonly Argument[]): string {
  const rows = args.map((argument) => {
    const choices = choicesOf(argument.argChoices)
    const need = argument.required ? "" : presetOf(argument.defaultValue) || "optional"
    return `| \`${argument.name()}\` | ${need} | ${cell(argument.description)}${choices} |`
  })
  return ["| argument | default | meaning |", "| --- | --- | --- |", ...rows].join("\n")
}

export function optionTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const choices = choicesOf(option.argChoices)
    const preset = presetOf(option.defaultValue)
    return `| \`${option.flags}\` | ${preset} | ${cell(option.description)}${choices} |`
  })
  return ["| option | default | meaning |", "| --- | --- | --- |", ...rows].join("\n")
}

/** Two columns of the help text: flags, then what they mean. */
function globalTable(): string {
  const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url))
  const env = { ...process.env, COLUMNS: "1000", NO_COLOR: "1" }
  const help = execFileSync(process.execPath, [main, "--help"], { encoding: "utf8", env })
  const section = /^Options:\n((?: .*\n)+)/m.exec(help)?.[1] ?? ""
  const rows = [...section.matchAll(/^ {2}(-\S.*?) {2,}(.+)$/gm)].map(
    ([, flags = "", meaning = ""]) => `| \`${flags}\` | ${cell(meaning)} |`,
  )
  if (rows.length === 0) throw new Error("the program's help lists no options")
  return ["| option | meaning |", "| --- | --- |", ...rows].join("\n")
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : `: ${choices.map((one) => `\`${one}\``).join(", ")}`
}

function presetOf(value: unknown): string {
  const plain = typeof value === "string" || typeof value === "number" || value === true
  return plain && value !== "" ? `\`${String(value)}\`` : ""
}

const cell = (text: string) => text.replaceAll("|", "\\|")
