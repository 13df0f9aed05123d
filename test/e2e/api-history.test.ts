// Gate: many clients write, read and watch the same few objects of a real plane while it is killed
// and started again. What they saw must be the history of one server that does one thing after the
// other, and every watcher must have seen all of it that it asked for.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { freePort } from "../../bench/api/servers.ts"
import { full } from "../full.ts"
import { ServedPlane } from "./clients/served-plane.ts"
import { BusyClient, keysOf } from "./history/busy-client.ts"
import { checkHistory } from "./history/check-history.ts"
import { countCascaded, orphansLeft } from "./history/check-sets.ts"
import { expectedEvents } from "./history/check-watches.ts"
import { type Collection, collections, gadgets, namespaces } from "./history/collections.ts"
import { diceOf } from "./history/dice.ts"
import { Follower, type FollowOptions } from "./history/follower.ts"
import type { Selection } from "./history/history.ts"
import { Timeline } from "./history/timeline.ts"
import { type Door, Http1Wire, Http2Wire, type Wire } from "./history/wire.ts"
import { waitFor } from "./plane/wait-for.ts"

vi.setConfig({ testTimeout: 900_000, hookTimeout: 180_000 })

const seed = Number(process.env.SETPOINT_TEST_SEED ?? 1)
const clientCount = full ? 12 : 8
const operationsPerPhase = full ? 2000 : 300
const kills = full ? 6 : 2
const deadlineMs = 600_000
const allKinds = ["apply", "create", "delete", "json", "merge", "put", "touch"]

let plane: ServedPlane
let door: Door
const wires: Wire[] = []
const followers: Follower[] = []

const open = (index: number): Wire => {
  const wire = index % 2 === 0 ? new Http1Wire(door) : new Http2Wire(door)
  wires.push(wire)
  return wire
}

beforeAll(async () => {
  // A port of its own: one that others look for could be theirs when this plane comes back.
  const port = await freePort()
  plane = new ServedPlane("--watch-history", "30m", "--listen", `127.0.0.1:${port}`)
  await plane.start()
  door = { server: plane.server, token: plane.token }
  const wire = open(0)
  const type = "application/json"
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  await wire.send({ method: "POST", path: definitions, type, body: gadgets })
  for (const name of namespaces) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } }
    await wire.send({ method: "POST", path: "/api/v1/namespaces", type, body })
  }
  for (const [collection, { root }] of Object.entries(collections)) {
    const path = `${root}/namespaces/one/${collection}`
    await waitFor(`${path} is served`, async () => {
      const { status } = await wire.send({ method: "GET", path })
      return status === 200 || status
    })
  }
})

afterAll(async () => {
  await Promise.all(followers.map((follower) => follower.stop()))
  for (const wire of wires) wire.close()
  await plane?.close()
})

async function newestRevision(): Promise<number> {
  const { text } = await open(0).send({ method: "GET", path: "/api/v1/configmaps" })
  return Number(JSON.parse(text).metadata.resourceVersion)
}

function follow(options: FollowOptions): void {
  // A connection of its own: what ends one must not end the others.
  const follower = new Follower(open(followers.length), options)
  followers.push(follower)
  follower.start()
}

const selections = (collection: Collection): Selection[] => [
  { collection },
  { collection, namespace: "one" },
  { collection, team: { is: true, value: "a" } },
  { collection, namespace: "two", team: { is: false, value: "a" } },
  { collection, name: "k0" },
]

function followAll(phase: string, start: FollowOptions["start"], which: readonly number[]): void {
  for (const collection of ["configmaps", "gadgets"] as const) {
    for (const [index, selection] of selections(collection).entries()) {
      if (!which.includes(index)) continue
      const bookmarks = index % 2 === 1 || start === "state with an end mark"
      const short = index === 3 ? { seconds: 2 } : {}
      const name = `${phase} from ${start} ${JSON.stringify(selection)}`
      follow({ name, selection, start, bookmarks, ...short })
    }
  }
}

describe("concurrent clients of a plane that is killed", () => {
  it("see one order of all changes, lose none, and never go back in time", async () => {
    const keys = keysOf(3)
    const clients = Array.from({ length: clientCount }, (_, index) => {
      return new BusyClient(`c${index}`, open(index), diceOf(seed * 1000 + index), keys)
    })
    const done = () => clients.reduce((sum, { answered }) => sum + answered, 0)
    followAll("begun first", await newestRevision(), [0, 1, 2, 3, 4])
    for (let phase = 0; phase <= kills; phase++) {
      const target = done() + operationsPerPhase
      const lanes = clients.map(async (client) => {
        while (done() < target) await client.step()
      })
      const half = target - operationsPerPhase / 2
      await waitFor("half of the phase", () => done() >= half || done(), { deadlineMs })
      followAll(`phase ${phase}`, "state", [0, 2])
      followAll(`phase ${phase}`, "state with an end mark", [1, 2, 3])
      if (phase === 1) followAll(`phase ${phase}`, await newestRevision(), [0, 2, 4])
      if (phase < kills) {
        const most = target - operationsPerPhase / 4
        await waitFor("most of the phase", () => done() >= most || done(), { deadlineMs })
        await plane.end("SIGKILL")
        await plane.start()
      }
      await Promise.all(lanes)
    }
    const operations = clients.flatMap((client) => client.operations)
    const history = () => ({ operations, watches: followers.map(({ watch }) => watch) })
    // The garbage collector finds what was made for an owner that was gone already.
    await waitFor("the end of what has lost its owner", () => {
      return orphansLeft(new Timeline(history())).join() || true
    })
    const timeline = new Timeline(history())
    const behind = () =>
      followers.filter(({ cut, watch, newest }) => {
        return !cut && newest < (expectedEvents(timeline, watch.selection, 0).at(-1)?.revision ?? 0)
      })
    // Whoever does not come to the end is a violation for the checker to explain.
    await waitFor("all watchers have all", () => behind().length === 0 || behind().length, {
      deadlineMs: 30_000,
      everyMs: 200,
    }).catch(() => 0)
    const violations = checkHistory(history())
    const unknown = operations.filter(({ status }) => status === undefined).length
    const sets = operations.filter((one) => one.what === "clear" && one.gone.length > 1).length
    const cascaded = countCascaded(timeline)
    const events = followers.reduce((sum, { watch }) => sum + watch.seen.length, 0)
    console.log(
      `${operations.length} operations (${unknown} without an answer), ` +
        `${timeline.changes.length} changes, ${followers.length} watchers over ` +
        `${followers.reduce((sum, { connections }) => sum + connections, 0)} connections, ` +
        `${events} events, ${sets} sets deleted, ${cascaded} gone with their owner, ${kills} kills`,
    )
    // Whole: what a matcher prints of a list is cut short.
    if (violations.length > 0) throw new Error(violations.slice(0, 20).join("\n"))
    expect(timeline.changes.length).toBeGreaterThan(operations.length / 5)
    expect(sets).toBeGreaterThan(0)
    expect(cascaded).toBeGreaterThan(0)
    const kinds = operations.flatMap((one) => (one.what === "write" ? one.change.kind : []))
    expect([...new Set(kinds)].sort()).toEqual(allKinds)
  })
})
