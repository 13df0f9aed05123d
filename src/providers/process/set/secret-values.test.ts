// Secret values of a template: in the replicas that need them, and nowhere else that is written or
// shown; another value is another version all the same.

import { describe, expect, it } from "vitest"
import { hashJson } from "../../../base/hash.ts"
import type { JsonObject } from "../../../base/json.ts"
import type { SetSpec } from "./compose-set.ts"
import { processSet } from "./process-set.ts"
import { withoutValues } from "./secret-values.ts"
import { type Behaviour, SimulatedFleet, templateOf } from "./testing/simulated-fleet.ts"

const from = { kind: "Secret", name: "db", field: "data.password" }
const template = (password: string, behaviour: Behaviour = "good", version = "v0"): JsonObject => ({
  ...templateOf(version, behaviour),
  secretEnv: [
    { name: "PASSWORD", value: password },
    { name: "OTHER", valueFrom: from },
  ],
})
const strategy = {
  ...{ maxSurge: 1, maxUnavailable: 0, minReadySeconds: 0, progressDeadlineSeconds: 60 },
  rollback: "Auto" as const,
}
const three: SetSpec = { replicas: 3, template: template("hunter2"), drainSeconds: 0, strategy }

function run(fleet: SimulatedFleet, passes = 150): SimulatedFleet {
  for (let pass = 0; pass < passes; pass++) {
    fleet.pass()
    fleet.tick(1000)
  }
  return fleet
}

const names = (fleet: SimulatedFleet) => fleet.objects.map(({ metadata }) => metadata.name)
const passwords = (fleet: SimulatedFleet) =>
  fleet.objects.map(({ spec }) => (spec?.secretEnv as JsonObject[] | undefined)?.[0]?.value)
const lastGood = ({ status }: SimulatedFleet) => (status?.lastGood ?? {}) as JsonObject

describe("a secret value in a template", () => {
  it("is given to the replicas and stands nowhere in the status", () => {
    const fleet = run(new SimulatedFleet(three))
    expect(passwords(fleet)).toEqual(["hunter2", "hunter2", "hunter2"])
    expect(JSON.stringify(fleet.status)).not.toContain("hunter2")
    const secretEnv = [{ name: "PASSWORD" }, { name: "OTHER", valueFrom: from }]
    expect(lastGood(fleet).source).toMatchObject({ template: { secretEnv } })
  })

  it("is in no name: whoever knows the rest can't try values, for there is a key in it", () => {
    const other = new SimulatedFleet(three)
    other.key = new Uint8Array(32).fill(7)
    const [own, theirs, same] = [new SimulatedFleet(three), other, new SimulatedFleet(three)]
    for (const fleet of [own, theirs, same]) fleet.pass()
    expect(names(own)).not.toEqual(names(theirs))
    expect(names(own)).toEqual(names(same))
  })

  it("rolls out when it changes, step by step like any other version", () => {
    const fleet = run(new SimulatedFleet(three))
    const before = names(fleet)
    fleet.declare({ template: template("hunter3") })
    fleet.pass()
    expect(names(fleet)).toHaveLength(4)
    run(fleet)
    expect(passwords(fleet)).toEqual(["hunter3", "hunter3", "hunter3"])
    expect(names(fleet).filter((name) => before.includes(name))).toEqual([])
  })

  it("comes back with the last good version when another one fails", () => {
    const fleet = run(new SimulatedFleet(three))
    fleet.declare({ template: template("wrong", "never", "v1") })
    run(fleet)
    expect(passwords(fleet)).toEqual(["hunter2", "hunter2", "hunter2"])
    fleet.crash(0)
    run(fleet)
    expect(new Set(fleet.versions)).toEqual(new Set(["v0"]))
    fleet.declare({ template: template("right", "good", "v1") })
    run(fleet)
    expect(passwords(fleet)).toEqual(["right", "right", "right"])
  })

  it("is never guessed: a version whose secret no replica has any more is no way back", () => {
    const all = { ...strategy, maxUnavailable: 3, maxSurge: 0 }
    const fleet = run(new SimulatedFleet({ ...three, strategy: all }))
    fleet.declare({ template: template("wrong", "never", "v1") })
    run(fleet)
    expect(passwords(fleet)).toEqual(["wrong", "wrong", "wrong"])
    expect(fleet.status?.lastGood).toBeUndefined()
    expect(JSON.stringify(fleet.status)).toContain("ProgressDeadlineExceeded")
  })

  it("leaves a status that an older version of Setpoint wrote at the next pass", () => {
    const fleet = run(new SimulatedFleet(three))
    const open = { ...lastGood(fleet), source: { template: three.template } }
    fleet.status = { ...fleet.status, lastGood: open }
    fleet.pass()
    expect(JSON.stringify(fleet.status)).not.toContain("hunter2")
  })
})

it("names replicas without secret values as ever", () => {
  const source = { template: templateOf("v0", "good") }
  const fleet = new SimulatedFleet({ ...three, ...source })
  fleet.pass()
  expect(names(fleet)[0]).toBe(`web-${hashJson({ form: 1, ...source }).slice(0, 10)}-0`)
  expect(withoutValues(source)).toBe(source)
})

it("knows every secret field of a template", () => {
  expect(processSet.secretPaths).toEqual(["template.secretEnv"])
})
