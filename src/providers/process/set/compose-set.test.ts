// Single promises of a set, each in a fleet that is stepped by hand.

import { afterEach, describe, expect, it } from "vitest"
import { disarm, type Protection } from "../../../base/protections.ts"
import { composeSet, type SetSpec } from "./compose-set.ts"
import { drainingMark, isReady } from "./replica.ts"
import { replicaSpec, revisionOf } from "./revision.ts"
import { SimulatedFleet, statusOf, templateOf } from "./testing/simulated-fleet.ts"

const strategy = {
  maxSurge: 1,
  maxUnavailable: 0,
  minReadySeconds: 0,
  progressDeadlineSeconds: 60,
  rollback: "Auto" as "Auto" | "Never",
}
const five: SetSpec = {
  replicas: 5,
  template: templateOf("v0", "good"),
  ports: { base: 8000 },
  drainSeconds: 5,
  strategy,
}

const nobody = { related: [], now: 0 }

function run(fleet: SimulatedFleet, passes = 200): SimulatedFleet {
  for (let pass = 0; pass < passes; pass++) {
    fleet.pass()
    fleet.tick(1000)
  }
  return fleet
}

const reason = (fleet: SimulatedFleet, type: string) => {
  const all = fleet.status?.conditions
  const found = Array.isArray(all) ? all.find((one) => Object(one).type === type) : undefined
  return `${Object(found).status}/${Object(found).reason}`
}

const names = (fleet: SimulatedFleet) => fleet.objects.map(({ metadata }) => metadata.name)

describe("a set", () => {
  const armed: (() => void)[] = []
  const twin = (name: Protection) => armed.push(disarm(name))
  afterEach(() => {
    for (const arm of armed.splice(0)) arm()
  })

  it("starts two when five are declared and three run", () => {
    const fleet = run(new SimulatedFleet({ ...five, replicas: 3 }))
    const before = names(fleet)
    expect(before).toHaveLength(3)
    fleet.declare({ replicas: 5 })
    fleet.pass()
    expect(names(fleet).slice(0, 3)).toEqual(before)
    expect(fleet.objects.map(({ spec }) => spec?.port)).toEqual([8000, 8001, 8002, 8003, 8004])
  })

  it("makes no new version of replicas by scaling or by another strategy", () => {
    const fleet = run(new SimulatedFleet(five))
    const before = names(fleet)
    fleet.declare({ replicas: 4, strategy: { ...strategy, maxSurge: 3 }, drainSeconds: 1 })
    run(fleet)
    expect(names(fleet)).toEqual(before.slice(0, 4))
  })

  it("replaces all replicas when the restart text changes", () => {
    const fleet = run(new SimulatedFleet(five))
    const before = names(fleet)
    fleet.declare({ restart: "again" })
    run(fleet)
    expect(names(fleet)).toHaveLength(5)
    expect(names(fleet).filter((name) => before.includes(name))).toEqual([])
  })

  it("replaces those that do no work first", () => {
    const fleet = run(new SimulatedFleet({ ...five, strategy: { ...strategy, maxUnavailable: 1 } }))
    fleet.crash(3)
    const sick = names(fleet)[3]
    fleet.declare({ template: templateOf("v1", "good") })
    const kept = fleet.pass().children.map(({ metadata }) => metadata.name)
    expect(kept).not.toContain(sick)
    expect(kept.filter((name) => names(fleet).includes(name)).length).toBeGreaterThanOrEqual(4)
  })

  const drained = (fleet: SimulatedFleet) => {
    run(fleet)
    const marked = new Set<string>()
    fleet.declare({ template: templateOf("v1", "good") })
    let sudden = 0
    for (let pass = 0; pass < 100; pass++) {
      const said = new Set(fleet.compose().children.map(({ metadata }) => metadata.name))
      for (const object of fleet.objects) {
        const { metadata } = object
        if (metadata.annotations?.[drainingMark] !== undefined) marked.add(metadata.name)
        const stops = isReady(object) && !said.has(metadata.name)
        if (stops && !marked.has(metadata.name)) sudden++
      }
      fleet.pass()
      fleet.tick(1000)
    }
    expect(new Set(fleet.versions)).toEqual(new Set(["v1"]))
    return sudden
  }

  it("takes a replica out of service before it stops it", () => {
    expect(drained(new SimulatedFleet(five))).toBe(0)
  })

  it("would stop it at once without that (twin)", () => {
    twin("drained-before-stopped")
    expect(drained(new SimulatedFleet(five))).toBeGreaterThan(0)
  })

  it("stops no replica that a balancer still sends clients to, however long it takes", () => {
    const fleet = run(new SimulatedFleet(five))
    const balancer = {
      ...{ apiVersion: "process.setpoint.dev/v1", kind: "Balancer", metadata: { name: "front" } },
      spec: { backends: { set: "web" } },
      status: { serving: names(fleet) },
    }
    const before = names(fleet)
    fleet.balancers = [balancer]
    fleet.declare({ template: templateOf("v1", "good") })
    run(fleet, 50)
    expect(before.every((name) => names(fleet).includes(name))).toBe(true)
    fleet.balancers = [{ ...balancer, status: { serving: [] } }]
    run(fleet, 5)
    expect(before.every((name) => names(fleet).includes(name))).toBe(true)
    run(fleet)
    expect(new Set(fleet.versions)).toEqual(new Set(["v1"]))
  })

  it("brings replicas back into service that were leaving when the old version returns", () => {
    const fleet = run(new SimulatedFleet({ ...five, drainSeconds: 1000 }))
    const before = names(fleet)
    fleet.declare({ template: templateOf("v1", "good") })
    run(fleet, 10)
    expect(fleet.serving).toBe(5)
    fleet.declare({ template: templateOf("v0", "good") })
    fleet.pass()
    expect(before.every((name) => names(fleet).includes(name))).toBe(true)
    run(fleet, 1010)
    expect(names(fleet)).toEqual(before)
  })

  const absence = (fleet: SimulatedFleet) => {
    run(fleet)
    fleet.declare({ template: templateOf("v1", "good") })
    run(fleet, 12)
    fleet.now += 3_600_000
    return run(fleet)
  }

  it("goes on with a rollout after an hour without a plane", () => {
    const fleet = absence(new SimulatedFleet(five))
    expect(new Set(fleet.versions)).toEqual(new Set(["v1"]))
    expect(fleet.directions).toHaveLength(2)
  })

  it("would take the hour for a failure without that (twin)", () => {
    twin("absence-is-no-delay")
    expect(new Set(absence(new SimulatedFleet(five)).versions)).toEqual(new Set(["v0"]))
  })

  const stopped = (fleet: SimulatedFleet) => {
    run(fleet)
    fleet.frozen = true
    fleet.declare({ template: templateOf("v1", "good") })
    run(fleet, 300)
    return fleet
  }

  it("does not blame a version that nobody was allowed to start", () => {
    const fleet = stopped(new SimulatedFleet(five))
    expect(reason(fleet, "Progressing")).toBe("False/ProgressDeadlineExceeded")
    fleet.frozen = false
    run(fleet)
    expect(new Set(fleet.versions)).toEqual(new Set(["v1"]))
    expect(reason(fleet, "Progressing")).toBe("True/Complete")
  })

  it("would go back from it without that (twin)", () => {
    twin("only-the-guilty-are-rolled-back")
    expect(reason(stopped(new SimulatedFleet(five)), "Progressing")).toBe("False/RolledBack")
  })

  it("goes back from a bad version and says why", () => {
    const fleet = run(new SimulatedFleet(five))
    const before = names(fleet)
    fleet.declare({ template: templateOf("v1", "never") })
    run(fleet)
    expect(names(fleet)).toEqual(before)
    expect(reason(fleet, "Progressing")).toBe("False/RolledBack")
    expect(reason(fleet, "Ready")).toBe("False/RolledBack")
    expect(reason(fleet, "Available")).toBe("True/EnoughReplicas")
    const results = ["Complete", "RolledBack", "Complete"].map((result) => ({ result }))
    expect(fleet.status?.history).toMatchObject(results)
    fleet.declare({ template: templateOf("v0", "good") })
    run(fleet, 2)
    expect(reason(fleet, "Progressing")).toBe("True/Complete")
    expect(names(fleet)).toEqual(before)
  })

  it("stays where it is when it may not go back, and when there is nothing to go back to", () => {
    const never = { ...five, strategy: { ...strategy, rollback: "Never" as const } }
    const fleet = run(new SimulatedFleet(never))
    fleet.declare({ template: templateOf("v1", "never") })
    run(fleet)
    expect(fleet.versions.filter((version) => version === "v0")).toHaveLength(5)
    expect(reason(fleet, "Progressing")).toBe("False/ProgressDeadlineExceeded")
    const first = run(new SimulatedFleet({ ...five, template: templateOf("v0", "never") }))
    expect(first.objects).toHaveLength(5)
    expect(reason(first, "Progressing")).toBe("False/ProgressDeadlineExceeded")
  })

  it("remembers a bounded number of rollouts", () => {
    const fleet = run(new SimulatedFleet({ ...five, replicas: 1, drainSeconds: 0 }))
    for (let version = 0; version < 15; version++) {
      fleet.declare({ template: templateOf(`n${version}`, "good") })
      run(fleet, 20)
    }
    expect(fleet.status?.history).toHaveLength(10)
  })

  it("replaces a child whose name it does not understand", () => {
    const fleet = new SimulatedFleet(five)
    const { children } = fleet.compose()
    const [first, ...rest] = children
    if (first === undefined) throw new Error("no child")
    const metadata = { ...first.metadata, name: "odd" }
    const odd = { ...first, metadata, status: statusOf(undefined) }
    const parent = { metadata: { name: "web", namespace: "default" } }
    const fine = rest.map((child) => ({ ...child, status: statusOf(0) }))
    const spec = { ...five, strategy: { ...strategy, maxUnavailable: 1 } }
    const all = [odd, ...fine]
    const composed = composeSet({ parent: { ...parent, spec }, children: all, ...nobody })
    if ("stalled" in composed) throw new Error(composed.stalled)
    expect(composed.children.map(({ metadata }) => metadata.name)).not.toContain("odd")
  })

  it("refuses a name and a template that its replicas could not carry", () => {
    const metadata = { name: "w".repeat(49), namespace: "default" }
    expect(
      composeSet({ parent: { metadata, spec: five }, children: [], ...nobody }),
    ).toHaveProperty("stalled")
    const long = { ...five, template: { command: ["x".repeat(40_000)] } }
    const parent = { metadata: { name: "web" }, spec: long }
    expect(composeSet({ parent, children: [], ...nobody })).toHaveProperty("stalled")
  })
})

describe("a replica's spec", () => {
  const source = {
    template: {
      command: [
        "/srv/app",
        "--port=$(SETPOINT_PORT)",
        "$(HOME)",
        "$SETPOINT_SLOT",
        "$(SETPOINT_X)",
      ],
      env: { NAME: "web-$(SETPOINT_SLOT)" },
      cwd: "/srv/$(SETPOINT_SLOT)",
    },
    ports: { base: 8000 },
  }

  it("has its own slot and port, as fields, variables and the two placeholders", () => {
    expect(replicaSpec(source, 3)).toEqual({
      command: ["/srv/app", "--port=8003", "$(HOME)", "$SETPOINT_SLOT", "$(SETPOINT_X)"],
      env: { NAME: "web-3", SETPOINT_SLOT: "3", SETPOINT_PORT: "8003" },
      cwd: "/srv/$(SETPOINT_SLOT)",
      port: 8003,
    })
  })

  it("leaves the placeholder of a port alone where there is none", () => {
    const { command } = replicaSpec({ template: source.template }, 3)
    expect(command).toContain("--port=$(SETPOINT_PORT)")
  })

  it("has the same revision for the same content in any order", () => {
    const turned = { ports: source.ports, template: { ...source.template } }
    expect(revisionOf(turned)).toBe(revisionOf(source))
    expect(revisionOf({ ...source, ports: { base: 9000 } })).not.toBe(revisionOf(source))
  })
})
