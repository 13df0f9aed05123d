// What could stand at the end of a half-typed command line: the parser knows commands, options and
// choices; for the rest it says whose names are asked for. Pure.

import type { Argument, Command, Option } from "commander"

/** A name that only a running plane knows. */
export type NameOf = "loop" | "plan" | "kind" | "object" | "namespace"

export interface WantedWord {
  /** What has been typed of it. */
  readonly typed: string
  readonly choices: readonly string[]
  readonly names?: NameOf
  /** The words before it that are neither options nor commands: a kind, for example. */
  readonly before: readonly string[]
  /** Options with values that were typed: "data" to "/srv/plane". */
  readonly options: ReadonlyMap<string, string>
}

/** The words after the program's name; the last one is being typed, "" when it was not begun. */
export function wantedWord(parser: Command, words: readonly string[]): WantedWord {
  const typed = words.at(-1) ?? ""
  const before: string[] = []
  const options = new Map<string, string>()
  let command = parser
  let open: Option | undefined
  for (const word of joined(words.slice(0, -1))) {
    if (open !== undefined) {
      options.set(open.attributeName(), word)
      open = undefined
    } else if (word.startsWith("-")) {
      const [name = "", value] = word.split("=", 2)
      const option = optionsOf(command, parser).find((one) => [one.long, one.short].includes(name))
      if (value !== undefined && option !== undefined) options.set(option.attributeName(), value)
      else if (option?.required === true) open = option
    } else {
      const next = before.length === 0 ? commandOf(command, word) : undefined
      if (next === undefined) before.push(word)
      else command = next
    }
  }
  const base = { typed, before, options }
  if (open !== undefined) return { ...base, ...valuesOf(open) }
  if (typed.startsWith("-")) return { ...base, choices: flagsOf(command, parser) }
  const names = before.length === 0 ? commandsOf(command) : []
  return names.length > 0
    ? { ...base, choices: names }
    : { ...base, ...positional(command, before) }
}

/** Shells may split at "=": `--output`, `=`, `json`. */
function joined(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== "=")
}

function commandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word))
}

function commandsOf(command: Command): string[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((one) => one.name()).filter((name) => name !== "help")
}

function optionsOf(command: Command, parser: Command): readonly Option[] {
  const parent = command.parent === null || command.parent === parser ? [] : command.parent.options
  return command === parser ? parser.options : [...command.options, ...parent, ...parser.options]
}

function flagsOf(command: Command, parser: Command): readonly string[] {
  const flags = optionsOf(command, parser).flatMap(({ long, hidden }) => {
    return long === undefined || long === null || hidden ? [] : [long]
  })
  return [...new Set([...flags, "--help"])]
}

const namesByOption: Readonly<Record<string, NameOf>> = { namespace: "namespace", loop: "loop" }

function valuesOf(option: Option): Pick<WantedWord, "choices" | "names"> {
  const names = namesByOption[option.attributeName()]
  return { choices: option.argChoices ?? [], ...(names === undefined ? {} : { names }) }
}

const namesByArgument: Readonly<Record<string, NameOf>> = {
  loop: "loop",
  what: "loop",
  plan: "plan",
  kind: "kind",
  "kind/name": "kind",
  resource: "kind",
  name: "object",
  names: "object",
}

function positional(
  command: Command,
  before: readonly string[],
): Pick<WantedWord, "choices" | "names"> {
  const all = command.registeredArguments
  const found: Argument | undefined = all[before.length] ?? all.at(-1)
  if (found === undefined || (before.length >= all.length && !found.variadic)) {
    return { choices: [] }
  }
  const names = namesByArgument[found.name()]
  // A name belongs to the kind that was typed before it; without one it is a new name.
  const known = names === "object" && all[0]?.name() !== "kind" ? undefined : names
  return { choices: found.argChoices ?? [], ...(known === undefined ? {} : { names: known }) }
}
