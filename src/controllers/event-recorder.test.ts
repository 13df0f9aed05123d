import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Api, openApi } from "../api/verbs.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Store } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { type EventNote, EventRecorder, eventResource, eventsKept } from "./event-recorder.ts"
import { PlaneEvents } from "./plane-events.ts"

let clock: SimClock
let store: Store
let api: Api
let recorder: EventRecorder

const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", namespace: "default", name: "l" }
const note = (more: Partial<EventNote> = {}): EventNote => ({
  ...{ type: "Normal", reason: "Applied", message: "1 created", about: loop },
  ...more,
})

function newRecorder(): EventRecorder {
  const failed = (error: unknown) => {
    throw error
  }
  return new EventRecorder({ clock, verbs: () => api.verbs, failed })
}

async function events() {
  const { items } = await api.verbs.list(enginePrincipal, eventResource, { limit: 5000 })
  return items
}

beforeEach(async () => {
  clock = new SimClock()
  const random = new SimRandom(1)
  store = await openMemoryStore({ clock, random })
  api = await openApi({
    ...{ store, clock, random, hasProvider: () => false },
    judge: { judge: async () => ({ kind: "allowed", reserve: { checks: [], writes: [] } }) },
  })
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }
  const resource = { group: "", version: "v1", resource: "namespaces" }
  await api.verbs.create(enginePrincipal, resource, namespace)
  recorder = newRecorder()
})

afterEach(async () => {
  await recorder.close()
  await api.close()
  await store.close()
})

describe("the event recorder", () => {
  it("counts the same reason about the same object, written at most once a minute", async () => {
    for (let times = 0; times < 10; times++) recorder.note(note())
    await recorder.settled()
    const [first] = await events()
    expect(first).toMatchObject({ reason: "Applied", count: 1, involvedObject: loop })
    const { revision } = store
    recorder.note(note())
    await recorder.settled()
    expect(store.revision).toBe(revision)
    await clock.advance(61_000)
    recorder.note(note({ message: "again" }))
    await recorder.settled()
    expect(await events()).toMatchObject([{ count: 12, message: "again" }])
  })

  it("goes on counting after a restart, and writes nothing by itself", async () => {
    recorder.note(note())
    await recorder.close()
    const { revision } = store
    recorder = newRecorder()
    await clock.advance(3_600_000)
    expect(store.revision).toBe(revision)
    recorder.note(note())
    await recorder.settled()
    expect(await events()).toMatchObject([{ count: 2 }])
  })

  it("keeps only the newest", async () => {
    for (let number = 0; number < eventsKept + 20; number++) {
      recorder.note(note({ about: { ...loop, name: `l${number}` } }))
      if (number % 100 === 0) await recorder.settled()
    }
    await recorder.settled()
    const names = (await events()).map((event) => event.involvedObject)
    expect(names).toHaveLength(eventsKept)
    expect(names).not.toContainEqual(expect.objectContaining({ name: "l3" }))
    expect(names).toContainEqual(expect.objectContaining({ name: `l${eventsKept + 19}` }))
  })

  it("says nothing where the namespace is gone", async () => {
    recorder.note(note({ about: { ...loop, namespace: "nowhere" } }))
    await recorder.settled()
    expect(await events()).toEqual([])
  })
})

describe("what becomes an event", () => {
  const cause = { kind: "edit", text: "declared" } as const
  const action = (name: string, verb: "create" | "update", drift = false) => ({
    ...{ verb, uid: name, object: `files.host.setpoint.dev/default/${name}`, kind: "File" },
    ...{ loop: "default.l", generation: 1, incarnation: 1, target: `file:/${name}`, digest: name },
    changes: [],
    cause: drift ? ({ kind: "drift", text: "someone changed content" } as const) : cause,
  })

  function told(act: (events: PlaneEvents) => void): string[] {
    const notes: EventNote[] = []
    const sink = { note: (one: EventNote) => void notes.push(one) }
    act(new PlaneEvents({ recorder: sink, resourceOf: () => undefined }))
    return notes.map(
      ({ reason, about, message }) => `${reason} ${about.kind} ${about.name}: ${message}`,
    )
  }

  it("is one event about the loop for a thousand creates", () => {
    const lines = told((events) => {
      for (let number = 1; number <= 1000; number++) {
        events.acted({ action: action(`f${number}`, "create"), result: "done" }, number === 1000)
      }
    })
    expect(lines).toEqual(["Applied Loop l: 1000 created"])
  })

  it("is one per object for a little drift, and one about the loop for much", () => {
    const drift = (count: number) => (events: PlaneEvents) => {
      for (let number = 1; number <= count; number++) {
        const report = { action: action(`f${number}`, "update", true), result: "done" } as const
        events.acted(report, number === count)
      }
    }
    expect(told(drift(2))).toHaveLength(2)
    expect(told(drift(50))).toEqual([
      "DriftCorrected Loop l: corrected drift of 50 objects: File f1, File f2, File f3 and others",
    ])
  })

  it("is a source that goes bad and comes back, but not that it is good", () => {
    const good = { kind: "good", revision: "r", objects: 2 } as const
    const bad = { kind: "unreadable", issues: [], lastGood: "r" } as const
    const lines = told((events) => {
      for (const state of [good, good, bad, good]) events.source("default.l", state)
    })
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["SourceUnreadable", "SourceRecovered"])
  })

  it("is stop and resume, about the plane or the loop", () => {
    const lines = told((events) => {
      events.stopped({ loop: "*", scope: "all", reason: "smoke" }, "ann", false)
      events.stopped({ loop: "default.l", scope: "deletes" }, "ann", true)
    })
    expect(lines).toEqual([
      "Stopped Plane local: all acting stopped everywhere by ann: smoke",
      "Resumed Loop l: deletes resumed in loop default.l by ann",
    ])
  })
})
