// TypeScript text without what is not code: comments become spaces, and on request the insides of
// strings too. Lines and columns stay where they were. Close enough for rules, not a parser.

export interface CodeTextOptions {
  readonly keepStrings: boolean
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, " ")

export function codeText(text: string, options: CodeTextOptions): string {
  let out = ""
  let at = 0
  /** Depths of braces at which a template's hole ends. */
  const holes: number[] = []
  let braces = 0
  const take = (end: number, keep: boolean) => {
    const part = text.slice(at, end)
    out += keep ? part : blank(part)
    at = end
  }
  const template = () => {
    const end = templateEnd(text, at)
    take(end, options.keepStrings)
    if (text.startsWith("${", end)) {
      take(end + 2, true)
      holes.push(braces)
    } else take(Math.min(end + 1, text.length), true)
  }
  while (at < text.length) {
    const char = text[at] ?? ""
    if (text.startsWith("//", at)) take(endOf(text, "\n", at), false)
    else if (text.startsWith("/*", at)) take(endOf(text, "*/", at) + 2, false)
    else if (char === '"' || char === "'") {
      const end = stringEnd(text, at)
      take(at + 1, true)
      take(end, options.keepStrings)
      take(Math.min(end + 1, text.length), true)
    } else if (char === "`") {
      take(at + 1, true)
      template()
    } else if (char === "/" && startsRegularExpression(out)) {
      const end = regularExpressionEnd(text, at)
      take(at + 1, true)
      take(end, options.keepStrings)
    } else if (char === "}" && holes.at(-1) === braces) {
      holes.pop()
      take(at + 1, true)
      template()
    } else {
      if (char === "{") braces++
      if (char === "}") braces--
      take(at + 1, true)
    }
  }
  return out
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === text[from] || text[at] === "\n") return at
  }
  return text.length
}

function templateEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "`" || text.startsWith("${", at)) return at
  }
  return text.length
}

/** A slash divides after a value and starts a regular expression anywhere else. */
function startsRegularExpression(before: string): boolean {
  const last = before.trimEnd()
  if (/\b(return|typeof|case|in|of)$/.test(last)) return true
  return !/[\w$)\]}"'`]$/.test(last)
}

function regularExpressionEnd(text: string, from: number): number {
  let inClass = false
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]
    if (char === "\n") return at
    if (char === "\\") at++
    else if (char === "[") inClass = true
    else if (char === "]") inClass = false
    else if (char === "/" && !inClass) return at
  }
  return text.length
}
