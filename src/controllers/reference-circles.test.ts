import { describe, expect, it } from "vitest"
import { linked, linkedWidget } from "../../test/corpus/linked-widgets.ts"
import { widget } from "../../test/sim/site.ts"
import type { ObjectRef } from "../contract/client.ts"
import type { Manifest } from "../contract/source.ts"
import type { ApiObject } from "../object/object.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { simKind } from "../sim/sim-kind.ts"
import { SimWorld } from "../sim/sim-world.ts"
import { type Placed, placeManifest } from "./place-manifest.ts"
import { circleIssues } from "./reference-circles.ts"

const kind = linked(simKind({ world: new SimWorld({ clock: new SimClock() }) }))
const { group, version, resource } = kind

function placed(object: ApiObject, index: number): Placed {
  const position = { file: "a.yaml", line: index + 1, column: 1 }
  const manifest: Manifest = { object, position, locate: () => position }
  const served = () => ({ resource: { group, version, resource }, namespaced: true })
  const one = placeManifest(manifest, "default.site", served)
  if ("message" in one) throw new Error(one.message)
  return one
}

/** What is wrong with a revision, given what is stored. */
async function issues(objects: readonly ApiObject[], stored: readonly ApiObject[] = []) {
  const all = objects.map(placed)
  const find = async ({ name }: ObjectRef) => stored.find((one) => one.metadata.name === name)
  return circleIssues(all, all, { kinds: [kind], stored: find })
}

describe("references", () => {
  it("may go to an object that has the value written in its spec", async () => {
    const other = { ...linkedWidget("b", "a", "spec.size"), spec: { ...widget("b").spec } }
    expect(await issues([linkedWidget("a", "b"), other])).toEqual([])
    expect(await issues([linkedWidget("a", "b", "spec.size"), linkedWidget("b", "c")])).toEqual([])
  })

  it("may go to an object that does not exist yet", async () => {
    expect(await issues([linkedWidget("a", "later")])).toEqual([])
  })

  it("may not lead back to their own object, and the place is named", async () => {
    expect(await issues([linkedWidget("a", "a")])).toHaveLength(1)
    const [found, ...more] = await issues([
      linkedWidget("a", "b", "status.color"),
      linkedWidget("b", "a", "status.color"),
    ])
    expect(more).toEqual([])
    expect(found?.message).toContain("default/a -> Widget.sim.setpoint.dev default/b ->")
    expect(found?.position).toMatchObject({ file: "a.yaml", line: 1 })
  })

  it("may not make a circle with what is stored, unless the same revision opens it", async () => {
    const stored = [{ ...linkedWidget("b", "a"), metadata: { name: "b", namespace: "default" } }]
    expect(await issues([linkedWidget("a", "b")], stored)).toHaveLength(1)
    expect(await issues([linkedWidget("a", "b"), widget("b")], stored)).toEqual([])
  })

  it("are followed once each: a long chain and a wide fan are no work", async () => {
    const chain = Array.from({ length: 2000 }, (_, at) => linkedWidget(`n${at}`, `n${at + 1}`))
    const fan = Array.from({ length: 2000 }, (_, at) => linkedWidget(`f${at}`, "n0"))
    expect(await issues([...chain, ...fan])).toEqual([])
    expect(await issues([...chain, ...fan, linkedWidget("n2000", "n0")])).toHaveLength(1)
  })
})
