// Every class, from faults as they are really made; and that a diagnosis rests.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { actuatorFault } from "../actuator/faults.ts"
import { baseFault, toFault } from "../base/faults.ts"
import { type DiagnosisClass, diagnosisClasses, failureOf } from "../contract/diagnosis.ts"
import { providerFault } from "../provider/faults.ts"
import { fileFault } from "../providers/file/faults.ts"
import { simFault } from "../sim/faults.ts"
import { diagnose, saysLasting } from "./diagnose.ts"
import { reconcileFault } from "./faults.ts"
import type { Report } from "./status.ts"

const context = { name: "file motd", overdue: false, lasting: false }
const errno = (name: string) =>
  fileFault("SPT-FILE-001", { call: "open", path: "/srv/motd", errno: name })
const answer = (status: number, what = `status ${status}`) =>
  simFault("SPT-SIM-003", { where: "the simulated system", what, status })
const node = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code })

/** As the dispatcher reports a failed act. */
function failed(error: unknown): Report {
  const fault = toFault(error)
  const message = `${fault.message} (${fault.hint})`
  const because = { failure: failureOf(error) }
  return { state: "retrying", reason: "ActFailed", message, because }
}

/** As a round reports a verdict. */
function judged(state: Report["state"], guard: string, code: string, hint?: string): Report {
  const reason = { guard, code, message: `${guard} says so`, ...(hint ? { hint } : {}) }
  return { state, reason: code, message: reason.message, because: { reasons: [reason] } }
}

const cases: readonly (readonly [string, Report, DiagnosisClass])[] = [
  ["EACCES", failed(errno("EACCES")), "Permission"],
  ["EPERM", failed(errno("EPERM")), "Permission"],
  ["a read-only file system", failed(errno("EROFS")), "Permission"],
  ["a full disk", failed(errno("ENOSPC")), "Quota"],
  ["a quota on disk", failed(errno("EDQUOT")), "Quota"],
  ["a missing parent", failed(errno("ENOENT")), "Dependency"],
  ["something in the way", failed(errno("EEXIST")), "Conflict"],
  ["a path that is too long", failed(errno("ENAMETOOLONG")), "BadSpec"],
  ["a busy target", failed(errno("EBUSY")), "Transient"],
  ["401", failed(answer(401)), "Permission"],
  ["403", failed(answer(403)), "Permission"],
  ["403 with a quota", failed(answer(403, "status 403, quota exceeded")), "Quota"],
  ["402", failed(answer(402)), "Quota"],
  ["409", failed(answer(409)), "Conflict"],
  ["412", failed(answer(412)), "Conflict"],
  ["400", failed(answer(400)), "BadSpec"],
  ["422", failed(answer(422)), "BadSpec"],
  ["429", failed(answer(429)), "Transient"],
  ["429 with a quota", failed(answer(429, "status 429, daily quota used up")), "Quota"],
  ["500", failed(answer(500)), "Transient"],
  ["503", failed(answer(503)), "Transient"],
  ["599, which nobody defined", failed(answer(599)), "Transient"],
  ["no answer", failed(answer(0, "the connection was reset")), "Transient"],
  ["a refused connection", failed(node("ECONNREFUSED")), "Transient"],
  [
    "a time-out that a fault carries as its cause",
    failed(providerFault("SPT-PROV-007", { method: "GET", url: "x" }, node("ETIMEDOUT"))),
    "Transient",
  ],
  [
    "a certificate refused with 403 below a network fault",
    failed(providerFault("SPT-PROV-007", {}, answer(403))),
    "Permission",
  ],
  ["an act given up", failed(actuatorFault("SPT-ACT-002", { target: "t" })), "Transient"],
  ["an open breaker", failed(actuatorFault("SPT-ACT-003", { target: "t" })), "Transient"],
  ["a stop", failed(actuatorFault("SPT-ACT-001", { target: "t", stop: "stopped" })), "Policy"],
  [
    "a proven failure that carries its errno",
    failed(actuatorFault("SPT-ACT-007", { verb: "create", cause: "no", errno: "EACCES" })),
    "Permission",
  ],
  [
    "a proven failure that the provider classed itself",
    failed(actuatorFault("SPT-ACT-006", { verb: "create", cause: "no", class: "BadSpec" })),
    "BadSpec",
  ],
  ["a TypeError of the provider", failed(new TypeError("x is not a function")), "ProviderFault"],
  ["an assertion", failed(baseFault("SPT-BASE-001", { what: "no" })), "ProviderFault"],
  ["a handle used too late", failed(actuatorFault("SPT-ACT-004", {})), "ProviderFault"],
  ["a bad address", failed(providerFault("SPT-PROV-009", { url: "x" })), "BadSpec"],
  ["an error without any fact", failed(new Error("it did not work")), "Unknown"],
  ["words only", failed(new Error("the API answered 503")), "Transient"],
  ["words only, an errno", failed(new Error("mkdir /x: EACCES")), "Permission"],
  ["a flapping field", judged("held", "flap", "Flapping"), "Flap"],
  ["a field changed on both sides", judged("held", "conflict", "Conflict"), "Conflict"],
  ["a target that is not ours", judged("held", "adopt", "Adopt"), "Conflict"],
  ["a limit", judged("waiting", "change-limit", "ChangeLimit"), "Policy"],
  ["a guard that nobody thought of", judged("denied", "new", "Whatever"), "Policy"],
  [
    "a missing reference",
    {
      ...{ state: "waiting", reason: "MissingReference", message: "it waits" },
      because: { waitsFor: ["Directory conf spec.path"] },
    },
    "Dependency",
  ],
  [
    "a claim of another object",
    {
      ...{ state: "stuck", reason: "TargetConflict" },
      message: reconcileFault("SPT-LOOP-003", { target: "t", owner: "b" }).message,
      because: { owner: "files/default/b" },
    },
    "Conflict",
  ],
  [
    "a finalizer of somebody else",
    {
      ...{ state: "waiting", reason: "ForeignFinalizer", message: "it stays" },
      because: { finalizers: ["example.com/keep"] },
    },
    "Dependency",
  ],
]

describe("the class of what does not converge", () => {
  it.each(cases)("%s", (_, report, expected) => {
    const diagnosis = diagnose(report, context)
    expect(diagnosis?.class).toBe(expected)
    expect(diagnosis?.evidence.length).toBeGreaterThan(0)
    expect(diagnosis?.next).not.toBe("")
  })

  it("covers every class", () => {
    expect(new Set(cases.map(([, , name]) => name))).toEqual(new Set(diagnosisClasses))
  })

  it("says when it was only read from words, and never where there is a fact", () => {
    const guessed = diagnose(failed(new Error("the API answered 503")), context)
    expect(guessed?.evidence.join()).toContain("read from the words")
    const known = diagnose(failed(answer(403, "was 503 before")), context)
    expect(known?.class).toBe("Permission")
    expect(known?.evidence.join()).not.toContain("read from the words")
  })

  it("names the fact it was concluded from, and the fault", () => {
    const { evidence = [] } = diagnose(failed(errno("EACCES")), context) ?? {}
    expect(evidence).toContain("errno EACCES")
    expect(evidence).toContain("fault SPT-FILE-001")
  })

  it("names the guard, the reference, the owner and the finalizer", () => {
    const told = (name: string) => {
      const found = cases.find(([one]) => one === name)
      return found === undefined ? "" : diagnose(found[1], context)?.evidence.join()
    }
    expect(told("a limit")).toContain("guard change-limit (ChangeLimit)")
    expect(told("a missing reference")).toContain("Directory conf spec.path")
    expect(told("a claim of another object")).toContain("files/default/b")
    expect(told("a finalizer of somebody else")).toContain("example.com/keep")
  })
})

describe("the next step", () => {
  it("is a command where there is one", () => {
    const adopt = diagnose(judged("held", "adopt", "Adopt"), context)
    expect(adopt?.next).toContain("`setpoint adopt file motd`")
    const held = { ...judged("held", "delete-limit", "DeleteLimit"), plan: "site-1" }
    expect(diagnose(held, context)?.next).toContain("`setpoint approve site-1`")
    const stopped = failed(actuatorFault("SPT-ACT-001", { target: "t", stop: "s" }))
    const refused = { ...stopped, reason: "Stopped" }
    expect(diagnose(refused, context)?.next).toContain("`setpoint resume`")
  })

  it("of what is overdue is also how to give the target up", () => {
    const late = diagnose(failed(errno("EACCES")), { ...context, overdue: true })
    expect(late?.class).toBe("Permission")
    expect(late?.next).toContain("`setpoint release file motd --orphan --reason TEXT`")
  })
})

describe("a diagnosis", () => {
  it("is missing for what is as declared or on the way", () => {
    const ready = { state: "ready", reason: "Converged", message: "as declared" } as const
    const working = { state: "working", reason: "Deleting", message: "on its way" } as const
    expect(diagnose(ready, context)).toBeUndefined()
    expect(diagnose(working, context)).toBeUndefined()
    expect(diagnose(working, { ...context, overdue: true })?.class).toBe("Transient")
  })

  it("says that it lasts only where it might have passed", () => {
    const lasts = (report: Report) =>
      saysLasting(diagnose(report, { ...context, lasting: true })?.evidence ?? [])
    expect(lasts(failed(answer(503)))).toBe(true)
    expect(lasts(failed(errno("EACCES")))).toBe(false)
    expect(lasts(judged("waiting", "change-limit", "ChangeLimit"))).toBe(false)
  })

  it("is bounded whatever it is made from", () => {
    const text = fc.string({ maxLength: 2000 })
    const reasons = fc.array(fc.record({ guard: text, code: text, message: text }))
    const report = fc.record({
      state: fc.constantFrom<Report["state"]>("held", "waiting", "denied", "retrying", "stuck"),
      reason: text,
      message: text,
      because: fc.record(
        { reasons, waitsFor: fc.array(text), finalizers: fc.array(text) },
        { requiredKeys: [] },
      ),
    })
    fc.assert(
      fc.property(report, fc.boolean(), fc.boolean(), (one, overdue, lasting) => {
        const found = diagnose(one, { name: "file motd", overdue, lasting })
        expect(diagnosisClasses).toContain(found?.class)
        expect(found?.evidence.length).toBeLessThanOrEqual(5)
        for (const fact of found?.evidence ?? []) expect(fact.length).toBeLessThanOrEqual(240)
      }),
      { numRuns: 200 },
    )
  })
})
