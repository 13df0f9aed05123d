import { EventEmitter } from "node:events"
import { expect, it } from "vitest"
import {
  alice,
  configMap,
  configMaps,
  definitions,
  openApiWorld,
  thing,
  things,
} from "../../../test/conformance/client-world.ts"
import { systemClock } from "../../base/system.ts"
import { serveWatch } from "./serve-watch.ts"
import { SharedWatches } from "./shared-watches.ts"

/** Somebody who reads slowly: every write fills what is between, and it drains a moment later. */
class SlowReader extends EventEmitter {
  readonly statusCode = 200
  headersSent = false
  destroyed = false
  /** Who listened for its end, at each line. */
  readonly listening: number[] = []

  setHeader(): void {}
  hasHeader = (): boolean => false
  writeHead(): void {
    this.headersSent = true
  }
  flushHeaders(): void {}
  write(): boolean {
    this.listening.push(this.listenerCount("close"))
    setImmediate(() => this.emit("drain"))
    return false
  }
  end(): void {}
  destroy(): void {
    this.destroyed = true
    this.emit("close")
  }
}

/** Somebody who reads nothing when told so. */
class Reading extends SlowReader {
  readonly lines: string[] = []
  hasEnded = false
  isPaused = false

  override write(line?: string | Uint8Array): boolean {
    this.lines.push(Buffer.from(line as Uint8Array).toString())
    return !this.isPaused
  }

  override end(): void {
    this.hasEnded = true
  }
}

const changes = {
  schema: [
    {
      op: "remove",
      path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color",
    },
  ],
  version: [
    { op: "copy", from: "/spec/versions/0", path: "/spec/versions/1" },
    { op: "replace", path: "/spec/versions/1/name", value: "v9" },
    { op: "replace", path: "/spec/versions/1/storage", value: false },
    { op: "replace", path: "/spec/versions/0/served", value: false },
  ],
} as const

it.each(["schema", "version"] as const)(
  "ends with the definition it began by for who has yet to catch up, too: another %s",
  async (what) => {
    const world = await openApiWorld()
    const watches = new SharedWatches()
    const begin = (response: Reading) =>
      serveWatch({
        ...{ reads: world.reads, clock: systemClock, ref: things, headers: {}, watches, response },
        options: { resourceVersion: String(world.store.revision) },
        registry: world.registry,
        resource: world.registry.need(things),
        query: new URLSearchParams("watch=1"),
        signal: new AbortController().signal,
      })
    const [quick, slow] = [new Reading(), new Reading()]
    const both = [begin(quick), begin(slow)]
    const large = { a: "x".repeat(200_000) }
    for (let at = 0; at < 10; at++) {
      const { metadata, ...rest } = thing(`thing-${at}`, { color: "red" })
      await world.verbs.create(alice, things, {
        ...rest,
        metadata: { ...metadata, annotations: large },
      })
      await expect.poll(() => quick.lines.length).toBe(at + 1)
      slow.isPaused = true
    }
    expect(slow.lines.length).toBeLessThan(10)
    const ref = { ...definitions, namespace: "", name: "things.test.dev" }
    await world.verbs.patch(alice, ref, "json", changes[what])
    await both[0]
    slow.isPaused = false
    slow.emit("drain")
    await both[1]
    expect([quick.hasEnded, slow.hasEnded]).toEqual([true, true])
    for (const line of slow.lines) expect(line).toContain('"type":"ADDED"')
    await world.close()
  },
)

it("listens once to a reader that is waited for again and again", async () => {
  const world = await openApiWorld()
  const most = 30
  for (let at = 0; at < most; at++) {
    await world.verbs.create(alice, configMaps, configMap(`map-${at}`))
  }
  const response = new SlowReader()
  const watching = serveWatch({
    ...{ reads: world.reads, clock: systemClock, ref: configMaps, headers: {}, options: {} },
    resource: world.registry.need(configMaps),
    watches: new SharedWatches(),
    registry: world.registry,
    query: new URLSearchParams("watch=1"),
    signal: new AbortController().signal,
    response,
  })
  await expect.poll(() => response.listening.length >= most).toBe(true)
  expect(new Set(response.listening).size).toBe(1)
  response.destroy()
  await watching
  await world.close()
})
