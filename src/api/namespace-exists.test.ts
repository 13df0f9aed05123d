import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type ApiWorld,
  alice,
  configMap,
  configMaps,
  faultOf,
  namespaceNamed,
  namespaces,
  openApiWorld,
} from "../../test/conformance/client-world.ts"
import { NamespacesSeen } from "./namespace-exists.ts"

let world: ApiWorld
beforeEach(async () => {
  world = await openApiWorld()
  await world.verbs.create(alice, namespaces, namespaceNamed("team"))
})
afterEach(() => world.close())

const inTeam = (name: string, dryRun = false) => {
  const object = configMap(name)
  const metadata = { ...object.metadata, namespace: "team" }
  return world.verbs.create(alice, configMaps, { ...object, metadata }, { dryRun })
}

const team = { ...namespaces, namespace: "", name: "team" }

describe("a namespace that was seen alive", () => {
  it("takes objects after it changed", async () => {
    await inTeam("a")
    const labels = { metadata: { labels: { tier: "one" } } }
    await world.verbs.patch(alice, team, "merge", labels)
    expect((await inTeam("b")).created).toBe(true)
  })

  it("takes no object any more, also not for show, once it ends", async () => {
    await inTeam("a")
    const finalizers = { metadata: { finalizers: ["test.dev/wait"] } }
    await world.verbs.patch(alice, team, "merge", finalizers)
    await inTeam("b")
    await world.verbs.delete(alice, team)
    expect(await faultOf(inTeam("c"))).toMatchObject({ code: "SPT-API-012" })
    expect(await faultOf(inTeam("c", true))).toMatchObject({ code: "SPT-API-012" })
  })

  it("is asked for at once by what is only for show", async () => {
    await inTeam("a")
    expect(await faultOf(inTeam("a", true))).toMatchObject({ reason: "AlreadyExists" })
    expect((await inTeam("b", true)).created).toBe(true)
    expect(await faultOf(inTeam("a"))).toMatchObject({ reason: "AlreadyExists" })
  })
})

describe("the namespaces that are remembered", () => {
  it("are bounded", () => {
    const seen = new NamespacesSeen()
    for (let at = 0; at < 5000; at++) seen.note(`n-${at}`, { key: `k-${at}`, modRevision: at })
    const held = Array.from({ length: 5000 }, (_, at) => seen.get(`n-${at}`)).filter(Boolean)
    expect(held.length).toBeLessThanOrEqual(1000)
    expect(seen.get("n-4999")).toEqual({ key: "k-4999", modRevision: 4999 })
    seen.forget("n-4999")
    expect(seen.get("n-4999")).toBeUndefined()
  })
})
