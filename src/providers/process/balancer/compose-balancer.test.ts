// What a Balancer makes of the replicas there are, and whom it says that clients may still reach.

import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../../../base/protections.ts"
import type { Composition } from "../../../contract/composite.ts"
import type { ApiObject } from "../../../object/object.ts"
import { drainingMark } from "../set/replica.ts"
import { readConfig } from "./balancer-config.ts"
import { balancerSpec } from "./balancer-spec.ts"
import { type BalancerInput, composeBalancer } from "./compose-balancer.ts"

const spec = balancerSpec.parse({
  listen: { port: 8080 },
  backends: { set: "web" },
  configFile: "/srv/front.json",
  health: { base: 9000 },
})
const parent = { metadata: { name: "front", namespace: "default" }, spec }

interface Given {
  readonly ready?: boolean
  readonly set?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly deletionTimestamp?: string
}

function replica(slot: number, { ready = true, set = "web", ...metadata }: Given = {}): ApiObject {
  const owner = { apiVersion: "process.setpoint.dev/v1", kind: "ProcessSet", name: set, uid: "u" }
  return {
    apiVersion: "process.setpoint.dev/v1",
    kind: "Process",
    metadata: {
      name: `${set}-0123456789-${slot}`,
      ownerReferences: [{ ...owner, controller: true }],
      ...metadata,
    },
    spec: { port: 8000 + slot },
    status: { outputs: { ready } },
  }
}

function compose(input: Partial<BalancerInput> = {}): Composition {
  const said = composeBalancer({ parent, children: [], related: [], ...input }, ["/bin/setpoint"])
  if ("stalled" in said) throw new Error(said.stalled)
  return said
}

const fileOf = ({ children }: Composition) => children.find(({ kind }) => kind === "File")
const portsOf = (composed: Composition) => {
  const config = readConfig(String(fileOf(composed)?.spec?.content))
  if (typeof config === "string") throw new Error(config)
  return config.backends.map(({ port }) => port)
}

describe("a Balancer", () => {
  let arm = () => {}
  afterEach(() => arm())

  const mixed = () =>
    compose({
      related: [
        replica(0),
        replica(1, { ready: false }),
        replica(2, { annotations: { [drainingMark]: "2026-01-01T00:00:00Z" } }),
        replica(3, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
        replica(4, { set: "other" }),
        replica(5),
      ],
    })

  it("sends clients to replicas of its set that are ready and neither leave nor end", () => {
    expect(portsOf(mixed())).toEqual([8000, 8005])
  })

  it("would send them to the others, too, without that (twin)", () => {
    arm = disarm("ready-backends-only")
    expect(portsOf(mixed()).length).toBeGreaterThan(2)
  })

  it("runs this very program, with a port of its own for its health", () => {
    const set = compose().children.find(({ kind }) => kind === "ProcessSet")
    const asked = ["balancer", "--config", "/srv/front.json", "--health", "$(SETPOINT_PORT)"]
    expect(set?.spec).toMatchObject({
      replicas: 1,
      ports: { base: 9000 },
      template: { command: ["/bin/setpoint", ...asked] },
    })
  })

  it("is not restarted when replicas come and go", () => {
    const sets = [compose(), compose({ related: [replica(0)] })].map(({ children }) => {
      return children.find(({ kind }) => kind === "ProcessSet")
    })
    expect(sets[0]).toEqual(sets[1])
  })

  it("says whom clients may still reach until the new file is in force", () => {
    const before = compose({ related: [replica(0), replica(1)] })
    const file = fileOf(before)
    if (file === undefined) throw new Error("no file")
    const { status } = before
    const serving = ["web-0123456789-0", "web-0123456789-1"]
    expect(status.serving).toEqual(serving)
    // Replica 1 leaves; the file's object still has the old text, then the new one.
    const ready = { type: "Ready", status: "True", reason: "Converged" }
    const written = (one: ApiObject, observedGeneration: number) => ({
      ...one,
      metadata: { ...one.metadata, generation: 2 },
      status: { observedGeneration, conditions: [ready] },
    })
    const late = { parent: { ...parent, status }, related: [replica(0)] }
    expect(compose({ ...late, children: [written(file, 2)] }).status.serving).toEqual(serving)
    const next = fileOf(compose(late))
    if (next === undefined) throw new Error("no file")
    expect(compose({ ...late, children: [written(next, 1)] }).status.serving).toEqual(serving)
    const [first] = serving
    expect(compose({ ...late, children: [written(next, 2)] }).status.serving).toEqual([first])
  })

  it("leaves a port to the Balancer that had it first", () => {
    const at = (creationTimestamp: string, name: string): ApiObject => ({
      apiVersion: "process.setpoint.dev/v1",
      kind: "Balancer",
      metadata: { name, creationTimestamp },
      spec: { listen: { address: "127.0.0.1", port: 8080 } },
    })
    const metadata = { ...parent.metadata, creationTimestamp: "2026-02-01T00:00:00Z" }
    const judge = (other: ApiObject) =>
      composeBalancer({ parent: { ...parent, metadata }, children: [], related: [other] }, [])
    expect(judge(at("2026-01-01T00:00:00Z", "older"))).toHaveProperty("stalled")
    expect(judge(at("2026-03-01T00:00:00Z", "younger"))).not.toHaveProperty("stalled")
  })
})

describe("a balancer's file", () => {
  it("is refused as a whole when anything is wrong with it", () => {
    const good = String(fileOf(compose({ related: [replica(0)] }))?.spec?.content)
    expect(readConfig(good)).toBeTypeOf("object")
    const wrong = [
      "",
      "{",
      "[]",
      good.slice(0, -10),
      good.replace('"format":1', '"format":2'),
      good.replace('"port":8000', '"port":0'),
      good.replace('"backends"', '"backend"'),
      good.replace(/"backends":\[(.*?)\]/, '"backends":[$1,$1]'),
    ]
    for (const text of wrong) expect(readConfig(text)).toBeTypeOf("string")
  })
})
