// What the plane answers about its journals, and how a search stands in an address. Pure.

export interface JournalBrief {
  readonly loop: string
  readonly sequence: number
  readonly time: string
  readonly principal: string
  readonly type: string
  readonly title: string
  readonly tone: "plain" | "warn" | "bad"
  readonly object?: string
  readonly verb?: string
  readonly cause?: string
  readonly detail?: string
  readonly revision?: string
  readonly plan?: string
}

export interface JournalPageView {
  readonly entries: readonly JournalBrief[]
  readonly scanned: number
  /** Where the search goes on; missing at its end. */
  readonly next?: string
  readonly journalsLeft?: number
}

export interface JournalRecord {
  readonly entry: {
    readonly loop: string
    readonly sequence: number
    readonly time: string
    readonly principal: string
    readonly event: Readonly<Record<string, unknown>> & { readonly type: string }
    readonly previous: string
    readonly hash: string
  }
  readonly brief: JournalBrief
}

/** In the address and in the request by the same names. */
export const filterNames = [
  "loop",
  "object",
  "type",
  "verb",
  "cause",
  "principal",
  "revision",
  "text",
  "since",
  "until",
] as const

export type FilterName = (typeof filterNames)[number]
export type Filters = Readonly<Partial<Record<FilterName, string>>>

export const eventTypes = [
  ...["receipt", "intent", "held", "plan", "round", "would", "states", "source", "stop", "resume"],
  ...["invariant", "checkpoint", "rollback", "loosened", "break-glass", "release", "adopted"],
  ...["orphaned", "forgotten", "moved", "detached", "plane", "dropped"],
] as const

export const verbs = ["create", "update", "replace", "delete", "adopt", "loosen"] as const

export const causes = [
  ...["edit", "drift", "default", "dependency", "rollback", "approval", "prune", "delete"],
  ...["adopt", "missing", "loosen"],
] as const

export function filtersOf(query: URLSearchParams): Filters {
  const found = filterNames.flatMap((name) => {
    const value = (query.get(name) ?? "").trim()
    return value === "" ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}

/** A time that a person chose without a zone is their own; the plane wants one that says so. */
export function searchPath(filters: Filters, limit: number, before = ""): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    query.set(name, name === "since" || name === "until" ? timeText(value) : value)
  }
  query.set("limit", String(limit))
  if (before !== "") query.set("before", before)
  return `/setpoint/v1/journal?${query}`
}

function timeText(value: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(value)) return value
  const at = new Date(value)
  return Number.isNaN(at.getTime()) ? value : at.toISOString()
}

export const recordKey = ({ loop, sequence }: Pick<JournalBrief, "loop" | "sequence">): string =>
  `${loop}/${sequence}`
