// Who did or wrote something, in words: sources, composites and the engine have names of their own.

const ownNames = {
  "setpoint-source/": "the source of ",
  "setpoint-composite/": "the kind ",
} as const

export function whoText(name: string): string {
  if (name === "setpoint:engine") return "the engine"
  for (const [start, words] of Object.entries(ownNames)) {
    if (name.startsWith(start)) return `${words}${name.slice(start.length)}`
  }
  return name
}
