// Why an object does not converge, in one word, a few facts and one sentence; and what is known of
// a failure besides its words. A class comes from these facts, never from reading prose where a
// fact exists.

export type DiagnosisClass =
  /** Likely to pass by itself. */
  | "Transient"
  | "Permission"
  | "Quota"
  /** Somebody else has it, changed it or holds it. */
  | "Conflict"
  /** It is corrected and comes back, again and again. */
  | "Flap"
  /** Something it needs is not there. */
  | "Dependency"
  | "BadSpec"
  /** A defect in the provider. */
  | "ProviderFault"
  /** Held, denied, waiting for a window, a limit or an approval, or stopped. */
  | "Policy"
  | "Unknown"

export const diagnosisClasses: readonly DiagnosisClass[] = [
  ...(["Transient", "Permission", "Quota", "Conflict", "Flap", "Dependency"] as const),
  ...(["BadSpec", "ProviderFault", "Policy", "Unknown"] as const),
]

export interface Diagnosis {
  readonly class: DiagnosisClass
  /** Short facts; nothing in them changes from one attempt to the next. */
  readonly evidence: readonly string[]
  /** One sentence, with a command where there is one. */
  readonly next: string
}

export interface Failure {
  /** Of the fault: `SPT-FILE-001`. */
  readonly code?: string
  /** `EACCES`. */
  readonly errno?: string
  /** The HTTP status that the target system answered with; 0 for no answer. */
  readonly status?: number
  /** The name of what a program threw that only a defect throws: `TypeError`. */
  readonly defect?: string
  /** What the provider itself says that it is. */
  readonly class?: DiagnosisClass
}

const defects: ReadonlySet<string> = new Set(["TypeError", "ReferenceError", "SyntaxError"])
const causesMax = 5

/** The facts that an error carries, also in what caused it; the innermost ones count. */
export function failureOf(error: unknown): Failure {
  let facts: Failure = {}
  let one: unknown = error
  for (let depth = 0; depth < causesMax && one instanceof Error; depth++) {
    facts = { ...facts, ...ownFacts(one) }
    one = one.cause
  }
  return facts
}

const isClass = (value: unknown): value is DiagnosisClass =>
  diagnosisClasses.some((one) => one === value)

function ownFacts(error: Error): Failure {
  const code: unknown = Reflect.get(error, "code")
  const text = typeof code === "string" ? code : ""
  const details: unknown = Reflect.get(error, "details")
  const given = (name: string): unknown =>
    typeof details === "object" && details !== null ? Reflect.get(details, name) : undefined
  const errno = given("errno")
  const status = Number(given("status") ?? Number.NaN)
  const says = given("class")
  const bug = Reflect.get(error, "fault") === "bug"
  return {
    ...(text.startsWith("SPT-") ? { code: text } : {}),
    ...(/^E[A-Z0-9_]{2,}$/.test(text) && !text.startsWith("ERR_") ? { errno: text } : {}),
    ...(typeof errno === "string" && errno !== "" ? { errno } : {}),
    ...(Number.isInteger(status) ? { status } : {}),
    ...(isClass(says) ? { class: says } : {}),
    ...(defects.has(error.name) ? { defect: error.name } : {}),
    ...(bug ? { defect: text } : {}),
  }
}
