// Reads console blocks: commands with what they print. A line that starts with "$ " is a command,
// "> " goes on with it; the lines after it are output. Pure.

export interface Step {
  readonly command: string
  readonly expected: readonly string[]
  /** Ends with "&": goes on running while the next commands do. */
  readonly background: boolean
}

export function stepsOf(block: string): Step[] {
  const steps: { lines: string[]; expected: string[] }[] = []
  for (const line of block.trimEnd().split("\n")) {
    const last = steps.at(-1)
    if (line.startsWith("$ ")) steps.push({ lines: [line.slice(2)], expected: [] })
    else if (last === undefined) throw new Error(`output without a command: ${line}`)
    else if (line.startsWith("> ") && last.expected.length === 0) last.lines.push(line.slice(2))
    else last.expected.push(line)
  }
  return steps.map(({ lines, expected }) => {
    const text = lines.join("\n")
    const background = text.trimEnd().endsWith("&")
    const command = background ? text.trimEnd().slice(0, -1).trimEnd() : text
    return {
      command,
      expected: expected.filter((line) => !/^\s*(\.\.\.)?$/.test(line)),
      background,
    }
  })
}

const lookingPrograms = new Set(["cat", "ls", "stat", "test", "grep", "readlink"])
const lookingVerbs = new Set(
  "status plan plans get describe history explain events diff doctor report audit".split(" "),
)

const checkpointLooks = new Set(["list", "show", "diff"])

/** Only looks: may be asked again until it answers as the document says. */
export function isLook(command: string): boolean {
  const [program = "", verb = "", part = ""] = command.split(" ")
  const reads = lookingVerbs.has(verb) || (verb === "checkpoint" && checkpointLooks.has(part))
  const looks = program === "setpoint" ? reads : lookingPrograms.has(program)
  return looks && !/[;>]|&&/.test(command)
}

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/
const hash = /\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,64}\b/
const time = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?\b|\b\d\d:\d\d:\d\d(?:\.\d+)?\b/
const size = /\b\d+(?:\.\d+)? (?:bytes|[KMG]iB)\b|(?<=revision )\d+\b/
const span = /\b\d+(?:\.\d+)? ?(?:ms|s|m|h|min)\b/
const varying = new RegExp(
  [uid, time, hash, size, span].map((one) => `(${one.source})`).join("|"),
  "g",
)
const names = ["UID", "TIME", "HASH", "SIZE", "SPAN"]

/** The line without what differs from run to run: ids, hashes, times; and those, in order. */
export function fixedPart(line: string): { readonly text: string; readonly varied: string[] } {
  const varied: string[] = []
  const text = line.replaceAll(varying, (found, ...groups) => {
    varied.push(found)
    return names[groups.slice(0, names.length).findIndex((group) => group !== undefined)] ?? found
  })
  return { text: text.replaceAll(/\s+/g, " ").trim(), varied }
}

export interface Match {
  /** The first expected line that was not printed, in its place. */
  readonly missing?: string
  /** What the document calls something, and what it was called in this run. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Every expected line has to be printed, in this order; other lines may be between. */
export function matchOutput(expected: readonly string[], output: string): Match {
  const lines = output.split("\n").map(fixedPart)
  const aliases = new Map<string, string>()
  let from = 0
  for (const line of expected) {
    const wanted = fixedPart(line)
    const index = lines.findIndex((one, at) => at >= from && one.text === wanted.text)
    if (index < 0) return { missing: line, aliases }
    for (const [at, alias] of wanted.varied.entries()) {
      const real = lines[index]?.varied[at]
      if (real !== undefined) aliases.set(alias, real)
    }
    from = index + 1
  }
  return { aliases }
}
