// The names and types that a zone's policy leaves alone. `*` stands for any number of characters;
// matching takes time in proportion to the text, whatever the pattern.

export interface NameGlobs {
  /** The pattern that covers this set, or undefined. */
  match(name: string, type: string): string | undefined
}

const typed = /^([A-Z0-9,]{1,200}):(.+)$/

export function compileGlobs(patterns: readonly string[]): NameGlobs {
  const compiled = patterns.map((pattern) => {
    const [, types, rest] = typed.exec(pattern) ?? []
    const wanted = types === undefined ? undefined : new Set(types.split(","))
    return { pattern, wanted, parts: (rest ?? pattern).toLowerCase().split("*") }
  })
  return {
    match: (name, type) =>
      compiled.find(({ wanted, parts }) => (wanted?.has(type) ?? true) && matches(name, parts))
        ?.pattern,
  }
}

/** Each part is found once, from left to right: the earliest place is always good enough. */
function matches(text: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  const last = rest.pop() ?? ""
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - at >= last.length && text.endsWith(last)
}
