import { describe, expect, it } from "vitest"
import type { JsonObject } from "../base/json.ts"
import type { LoopSpec } from "../contract/loop.ts"
import { absent, present } from "../contract/observation.ts"
import type { IdentityRule } from "../contract/provider.ts"
import type { TargetRecord } from "../contract/record.ts"
import { loopSpecOf } from "../controllers/loop-spec.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { simKind } from "../sim/sim-kind.ts"
import { SimWorld } from "../sim/sim-world.ts"
import { diffTarget } from "./diff.ts"
import { createKindRuntime } from "./kind-runtime.ts"
import { type Proposed, propose } from "./propose.ts"
import { createSecretHasher } from "./secrets.ts"

const spec: LoopSpec = loopSpecOf({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Loop",
  metadata: { name: "site" },
  spec: { mode: "Enforce" },
})
const hasher = createSecretHasher("test", new Uint8Array(32))
const base = { name: "a", size: 1, color: "red" }

interface Given {
  readonly desired?: JsonObject
  readonly applied?: JsonObject
  readonly observed?: JsonObject
  readonly mark?: string
  readonly record?: Partial<TargetRecord>
  readonly loop?: Partial<LoopSpec>
  readonly adoptDeclared?: boolean
  readonly rule?: IdentityRule
  readonly replaceOn?: readonly string[]
}

function decide(given: Given): Proposed {
  const { desired = base, applied, observed, mark, rule = "derived", replaceOn = [] } = given
  const world = new SimWorld({ clock: new SimClock() })
  const kind = createKindRuntime(simKind({ world, identityRule: rule, replaceOn }))
  const known = applied !== undefined || given.record !== undefined
  const record: TargetRecord | undefined = known
    ? {
        ...{ format: 1, uid: "u1", object: "w/default/a", loop: "default.site", kind: "Widget" },
        ...{ target: "sim:a", owned: applied !== undefined, incarnation: 1, generation: 1 },
        ...(applied === undefined ? {} : { applied }),
        ...given.record,
      }
    : undefined
  const rest = mark === undefined ? {} : { mark }
  return propose({
    object: { apiVersion: "v1", kind: "Widget", metadata: { name: "a", uid: "u1", generation: 2 } },
    ...{ key: "w/default/a", kind, loop: "default.site", target: "sim:a", desired, record },
    spec: { ...spec, ...given.loop },
    observation: observed === undefined ? absent("not there") : present(observed, "t1", rest),
    changes: diffTarget({ kind, desired, observed, record, hasher }),
    sourceRevision: "r1",
    adoptDeclared: given.adoptDeclared ?? false,
  })
}

const green = { ...base, color: "green" }
const blue = { ...base, color: "blue" }
const verbOf = (proposed: Proposed) =>
  proposed.kind === "action" ? proposed.action.verb : proposed.kind

describe("what closes a difference", () => {
  it.each<[string, Given, string]>([
    ["absent and never made", {}, "create"],
    ["absent and made before", { applied: base }, "create"],
    ["as declared and ours", { applied: base, observed: base }, "settled"],
    ["drifted", { applied: base, observed: blue }, "update"],
    ["edited", { applied: base, observed: base, desired: green }, "update"],
    [
      "a field that can't be changed",
      { applied: base, observed: base, desired: green, replaceOn: ["color"] },
      "replace",
    ],
    ["foreign and equal", { observed: base }, "settled"],
    ["foreign and different", { observed: blue }, "adopt"],
    ["foreign and equal, adopt: true", { observed: base, adoptDeclared: true }, "take"],
    ["foreign and different, adopt: true", { observed: blue, adoptDeclared: true }, "adopt"],
    ["with our mark and equal", { observed: base, mark: "u1" }, "take"],
    ["with our mark and different", { observed: blue, mark: "u1" }, "update"],
    ["with another's mark", { observed: blue, mark: "u2" }, "adopt"],
    ["vanished under onDrift: Report", { applied: base, loop: { onDrift: "Report" } }, "settled"],
    [
      "drifted under onDrift: Report",
      { applied: base, observed: blue, loop: { onDrift: "Report" } },
      "settled",
    ],
    ["in conflict", { applied: base, observed: blue, desired: green }, "update"],
    [
      "in conflict, ObservedWins",
      { applied: base, observed: blue, desired: green, loop: { onConflict: "ObservedWins" } },
      "settled",
    ],
  ])("%s: %s", (_name, given, verb) => {
    expect(verbOf(decide(given))).toBe(verb)
  })

  it("counts a re-creation as a change and a new incarnation, a first creation as neither", () => {
    expect(decide({})).toMatchObject({ limitedChange: false, action: { incarnation: 1 } })
    expect(decide({ applied: base })).toMatchObject({
      limitedChange: true,
      action: { incarnation: 2 },
    })
  })

  const pending = { id: "i", verb: "create", digest: "d", begun: true } as const

  it("never creates blindly where a half-made create can't be recognised", () => {
    const uncertain = decide({ record: { pending }, rule: "none" })
    expect(uncertain).toMatchObject({ kind: "stuck", fault: { code: "SPT-LOOP-004" } })
    for (const rule of ["derived", "clientToken", "searchable"] as const) {
      const again = decide({ record: { pending }, rule })
      expect(again).toMatchObject({ action: { verb: "create", incarnation: 1 } })
    }
  })

  it("takes what a lost reply left, when it is as declared", () => {
    expect(verbOf(decide({ record: { pending }, observed: base }))).toBe("take")
    expect(verbOf(decide({ record: { pending }, observed: blue }))).toBe("adopt")
  })
})

describe("fields that are left alone", () => {
  const desired = { name: "a", size: 2, color: "green" }

  it("a conflict waits alone; first the rest is brought in order around it", () => {
    const first = decide({ applied: base, observed: blue, desired })
    expect(first).toMatchObject({ desired: { size: 2, color: "blue" }, kept: ["color"] })
    expect(first).toMatchObject({ action: { changes: [{ path: "size" }] } })
    const then = decide({ applied: { ...base, size: 2 }, observed: { ...blue, size: 2 }, desired })
    expect(then).toMatchObject({
      action: { changes: [{ path: "color", why: "conflict" }] },
      kept: [],
    })
  })

  it("drift that is only reported stays while another field is changed", () => {
    const loop = { onDrift: "Report" } as const
    const edited = { ...base, size: 2 }
    const found = decide({ applied: base, observed: blue, desired: edited, loop })
    expect(found).toMatchObject({ desired: { size: 2, color: "blue" }, kept: ["color"] })
    expect(found).toMatchObject({ reported: [{ path: "color" }] })
  })

  it("DeclaredWins changes everything at once", () => {
    const loop = { onConflict: "DeclaredWins" } as const
    const found = decide({ applied: base, observed: blue, desired, loop })
    expect(found).toMatchObject({ desired, kept: [] })
  })
})

describe("the digest", () => {
  const digestOf = (given: Given): string => {
    const found = decide(given)
    return found.kind === "action" ? found.action.digest : ""
  }

  it("is the same for the same, and differs with what would be done", () => {
    const given = { applied: base, observed: blue }
    expect(digestOf(given)).toBe(digestOf(given))
    const others = [{ applied: base, observed: green }, { applied: base }, { observed: blue }]
    expect(new Set([given, ...others].map(digestOf)).size).toBe(4)
  })
})
