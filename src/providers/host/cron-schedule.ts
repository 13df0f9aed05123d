// Whether a text is a schedule as cron reads it in /etc/cron.d: five fields or a nickname. Cron
// skips a file with a line that it can't read, so a wrong one must never get there.

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const days = "sun mon tue wed thu fri sat".split(" ")
const fields: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12, names: months },
  { name: "day of week", min: 0, max: 7, names: days },
]
const nicknames = /^@(reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)$/

/** Why it is not a schedule, or undefined. */
export function scheduleProblem(text: string): string | undefined {
  if (text.startsWith("@")) {
    return nicknames.test(text) ? undefined : `${text} is no nickname of cron`
  }
  const parts = text.split(" ")
  if (parts.length !== fields.length) {
    return "a schedule has five fields with one space between (or @daily and the like)"
  }
  for (const [index, field] of fields.entries()) {
    const part = parts[index] ?? ""
    const bad = part.split(",").find((item) => !isItem(item, field))
    if (bad !== undefined) return `"${bad}" is not a ${field.name} (${field.min}-${field.max})`
  }
  return undefined
}

/** `*`, `5`, `1-5`, `mon-fri`, each with `/step` where cron takes one. */
function isItem(item: string, field: Field): boolean {
  const [range = "", step, ...more] = item.split("/")
  if (more.length > 0) return false
  if (step !== undefined && (!/^[1-9]\d?$/.test(step) || Number(step) > field.max)) return false
  if (range === "*") return true
  const [from, to, ...rest] = range.split("-").map((value) => fieldValue(value, field))
  if (rest.length > 0 || from === undefined) return false
  if (!range.includes("-")) return step === undefined
  return to !== undefined && from <= to
}

function fieldValue(text: string, { min, max, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0) return named + (names === months ? 1 : 0)
  if (!/^\d{1,2}$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}
