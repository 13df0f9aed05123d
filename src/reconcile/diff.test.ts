import { describe, expect, it } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { simKind } from "../sim/sim-kind.ts"
import { SimWorld } from "../sim/sim-world.ts"
import { diffTarget } from "./diff.ts"
import { createKindRuntime, withSecretPaths } from "./kind-runtime.ts"
import { createSecretHasher, hideSecrets } from "./secrets.ts"

const hasher = createSecretHasher("k", new Uint8Array(32))
const provider = simKind({ world: new SimWorld({ clock: new SimClock() }) })
const whole = (color: string): JsonObject => ({ name: "a", size: 1, color })
const record = (applied: JsonObject) => ({
  ...{ format: 1, uid: "u", object: "o", loop: "l", kind: "Widget", target: "t" },
  ...{ owned: true, incarnation: 1, generation: 1, applied },
})

describe("a difference", () => {
  const sides = {
    ...{ desired: whole("blue"), observed: whole("green"), hasher },
    record: record(whole("red")) as never,
  }

  it("is a conflict where both the declaration and the target changed", () => {
    const [found] = diffTarget({ ...sides, kind: createKindRuntime(provider) })
    expect(found).toMatchObject({ path: "color", why: "conflict" })
  })

  it("is none where the field changes by itself by nature", () => {
    const kind = createKindRuntime({ ...provider, restless: ["color"] })
    const [found] = diffTarget({ ...sides, kind })
    expect(found).toMatchObject({ path: "color", why: "requested" })
  })

  it("is seen and hidden where a field became secret since it was applied", () => {
    const kind = withSecretPaths(createKindRuntime(provider), ["color"])
    const observed = whole("red")
    const [found] = diffTarget({ ...sides, kind, observed })
    expect(found?.why).toBe("requested")
    expect(JSON.stringify(found)).not.toMatch(/red|blue/)
    const applied = hideSecrets(whole("blue"), ["color"], hasher)
    const same = { ...sides, kind, observed: whole("blue"), record: record(applied) as never }
    expect(diffTarget(same)).toEqual([])
  })
})
