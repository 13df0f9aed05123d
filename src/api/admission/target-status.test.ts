import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  faultOf,
  note,
  notes,
  openApiWorld,
  thing,
  things,
} from "../../../test/conformance/client-world.ts"
import { disarm } from "../../base/protections.ts"
import { authenticatedGroup, enginePrincipal, mastersGroup } from "../../contract/principal.ts"

let world: ApiWorld
let rearm = () => {}
beforeEach(async () => {
  world = await openApiWorld()
  await world.verbs.create(alice, things, thing("a"))
  await world.verbs.create(alice, notes, note("a"))
})
afterEach(async () => {
  rearm()
  await world.close()
})

const outside = { ...alice, groups: [mastersGroup, authenticatedGroup] }
const forged = { status: { address: "10.0.0.66" } }
const forge = (resource = things, principal = outside) => {
  const ref = { ...resource, namespace: "default", name: "a" }
  return world.verbs.patch(principal, ref, "merge", forged, { subresource: "status" })
}

describe("the status of an object with a target", () => {
  it("is written by nobody from outside", async () => {
    expect(await faultOf(forge())).toMatchObject({ code: "SPT-API-013", status: 403 })
    const apply = world.verbs.apply(
      outside,
      things,
      { ...thing("a"), ...forged },
      { fieldManager: "x", force: true, subresource: "status" },
    )
    expect(await faultOf(apply)).toMatchObject({ code: "SPT-API-013" })
  })

  it("is written by the engine, and by everybody where nothing has a target", async () => {
    expect((await forge(things, { ...enginePrincipal, groups: [] })).changed).toBe(true)
    expect((await forge(notes)).changed).toBe(true)
    // Saying what is so already is no change.
    expect((await forge()).changed).toBe(false)
  })

  it("[twin] says whatever a caller likes without the protection", async () => {
    rearm = disarm("status-of-targets-is-the-engines")
    expect((await forge()).object.status).toMatchObject({ address: "10.0.0.66" })
  })
})
