import { EventEmitter } from "node:events"
import { expect, it } from "vitest"
import {
  alice,
  configMap,
  configMaps,
  openApiWorld,
} from "../../../test/conformance/client-world.ts"
import { systemClock } from "../../base/system.ts"
import { serveWatch } from "./serve-watch.ts"

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
