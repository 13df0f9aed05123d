import { describe, expect, it } from "vitest"
import type { Action } from "../contract/action.ts"
import type { Verdict, VerdictKind } from "../contract/verdict.ts"
import { isLifted, liftedBy, underGlass } from "./break-glass.ts"

const glass = { by: "ann", reason: "fire", until: 1000, deletesLeft: 3 }
const verdict = (kind: VerdictKind, ...codes: string[]): Verdict => ({
  kind,
  reasons: codes.map((code) => ({ guard: "some", code, message: `because of ${code}` })),
})

describe("break-glass", () => {
  const lifted = [
    ...["DeleteLimit", "EmptySet", "LastOfKind", "ChangeLimit", "PolicyLimit"],
    ...["Window", "Flapping", "Drift", "Conflict"],
  ]
  const never = [
    ...["Propose", "Observe", "StaleObservation", "ColdStart", "SourceStale", "AllVanished"],
    ...["Adopt", "Protected", "InvariantBroken", "InvariantUnknown", "Rejected", "NotJudged"],
    ...["TargetChanged", "SourceShrunken", "Restored", "GuardFailed", "SomethingNew"],
  ]

  it.each(lifted)("lifts %s, and keeps why it would have been held", (code) => {
    const answer = liftedBy(glass, verdict("hold", code), 3)
    expect(answer.kind).toBe("allow")
    expect(answer.reasons).toMatchObject([{ code: "BreakGlass" }])
    expect(answer.reasons[0]?.message).toBe(`break-glass of ann: fire (else: because of ${code})`)
  })

  it.each(never)("never lifts %s, alone or beside something that it lifts", (code) => {
    for (const kind of ["wait", "hold"] as const) {
      expect(liftedBy(glass, verdict(kind, code), 0).kind).toBe(kind)
      expect(liftedBy(glass, verdict(kind, "DeleteLimit", code), 0).kind).toBe(kind)
    }
  })

  it("never lifts a deny, and nothing without a glass or over its count", () => {
    expect(liftedBy(glass, verdict("deny", "DeleteLimit"), 0).kind).toBe("deny")
    expect(liftedBy(undefined, verdict("hold", "DeleteLimit"), 0).kind).toBe("hold")
    expect(liftedBy(glass, verdict("hold", "DeleteLimit"), 4).kind).toBe("hold")
    expect(isLifted(liftedBy(glass, verdict("allow"), 0))).toBe(false)
  })

  it("is written into the act, and leaves its digest as it was approved or judged", () => {
    const action: Action = {
      ...{ verb: "update", uid: "u", object: "o", kind: "K", loop: "l", generation: 1 },
      ...{ incarnation: 1, target: "t", changes: [], digest: "d" },
      cause: { kind: "edit", text: "declared by API" },
    }
    const noted = underGlass(action, liftedBy(glass, verdict("wait", "Window"), 0), glass)
    expect(noted).toMatchObject({ digest: "d", cause: { breakGlass: "break-glass of ann: fire" } })
    expect(noted.cause.text).toBe("declared by API; under break-glass of ann: fire")
    expect(underGlass(action, verdict("allow"), glass)).toBe(action)
  })
})
