// Plan objects: held actions waiting for a person. Immutable but for their phase; only the engine
// writes them. They hold a summary and the first actions; the rest is read from the ledger.

export type PlanPhase =
  | "Pending"
  | "Approved"
  | "Executing"
  | "Done"
  | "Rejected"
  | "Stale"
  | "Superseded"
  | "Expired"

export const endedPhases: ReadonlySet<PlanPhase> = new Set([
  "Done",
  "Rejected",
  "Stale",
  "Superseded",
  "Expired",
])

/** Waits for people: nobody approved yet, or not enough did. */
export const waitingPhases: ReadonlySet<PlanPhase> = new Set(["Pending", "Approved"])
