import { describe, expect, it } from "vitest"
import type { JournalEvent } from "../contract/journal.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Check, Store, Write } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { readJournal } from "./journal.ts"
import { chainEntry, emptyHead } from "./journal-chain.ts"
import { decodeDocument, encodeDocument, ledgerKeys } from "./keys.ts"
import { LedgerWriter } from "./ledger-writer.ts"
import { verifyJournal } from "./verify-journal.ts"

const event = (note: string): JournalEvent => ({ type: "release", object: "x", note })
const open = () => openMemoryStore({ clock: new SimClock(), random: new SimRandom(1) })

async function written(count: number): Promise<Store> {
  const store = await open()
  const writer = new LedgerWriter(store, new SimClock())
  await writer.open()
  for (let index = 1; index <= count; index++) {
    await writer.append("a.b", enginePrincipal, [event(`number ${index}`)], [])
  }
  return store
}

async function tamper(
  store: Store,
  sequence: number,
  change: (entry: object) => object | undefined,
) {
  const key = ledgerKeys.journalEntry("a.b", sequence)
  const stored = await store.get(key)
  if (stored === undefined || "kind" in stored) throw new Error("no such entry")
  const changed = change(decodeDocument<object>(stored.value))
  const write: Write =
    changed === undefined
      ? { kind: "delete", key }
      : { kind: "put", key, value: encodeDocument(changed) }
  await store.commit([], [write])
}

describe("the journal's chain", () => {
  it("verifies what was written and says how much that was", async () => {
    expect(await verifyJournal(await written(5), "a.b")).toBe(5)
    expect(await verifyJournal(await written(0), "a.b")).toBe(0)
  })

  it("finds and names an entry whose text was changed", async () => {
    const store = await written(5)
    await tamper(store, 3, (entry) => ({ ...entry, principal: "somebody else" }))
    await expect(verifyJournal(store, "a.b")).rejects.toThrow("entry 3 was changed")
  })

  it("finds a changed entry although its own hash was made anew", async () => {
    const store = await written(5)
    const { hash } = chainEntry(emptyHead, {
      loop: "a.b",
      time: "2026-01-01T00:00:00Z",
      principal: "eve",
      event: event("forged"),
    })
    await tamper(store, 1, (entry) => ({
      ...entry,
      principal: "eve",
      event: event("forged"),
      hash,
    }))
    await expect(verifyJournal(store, "a.b")).rejects.toThrow("entry 2 does not carry the hash")
  })

  it("finds a lost entry and names the one after it", async () => {
    const store = await written(5)
    await tamper(store, 2, () => undefined)
    await expect(verifyJournal(store, "a.b")).rejects.toThrow("entry 3 does not follow 1")
  })
})

describe("the ledger's writer", () => {
  it("goes on where another process ended", async () => {
    const store = await written(3)
    const writer = new LedgerWriter(store, new SimClock())
    await writer.open()
    await writer.append("a.b", enginePrincipal, [event("more")], [])
    expect(await verifyJournal(store, "a.b")).toBe(4)
    expect(writer.loops()).toEqual(["a.b"])
  })

  it("puts steps that wait into one commit, in the order they were asked for", async () => {
    const store = await open()
    const writer = new LedgerWriter(store, new SimClock())
    const before = store.revision
    const steps = Array.from({ length: 50 }, (_, index) =>
      writer.append(
        "a.b",
        enginePrincipal,
        [event(String(index))],
        [{ kind: "put", key: "/same", value: encodeDocument({ index }) }],
      ),
    )
    await Promise.all(steps)
    expect(store.revision - before).toBeLessThanOrEqual(2)
    const notes: string[] = []
    for await (const { event: one } of readJournal(store, "a.b")) {
      if (one.type === "release") notes.push(one.note ?? "")
    }
    expect(notes).toEqual(Array.from({ length: 50 }, (_, index) => String(index)))
    const same = await store.get("/same")
    if (same === undefined || "kind" in same) throw new Error("nothing there")
    expect(decodeDocument(same.value)).toEqual({ index: 49 })
  })

  it("keeps the chain whole when a commit fails, and the caller hears of it", async () => {
    const store = await open()
    let failing = false
    const flaky: Store = Object.create(store, {
      identity: { value: store.identity },
      commit: {
        value: (checks: readonly Check[], writes: readonly Write[]) =>
          failing ? Promise.reject(new Error("disk full")) : store.commit(checks, writes),
      },
    })
    const writer = new LedgerWriter(flaky, new SimClock())
    await writer.append("a.b", enginePrincipal, [event("one")], [])
    failing = true
    const lost = writer.append("a.b", enginePrincipal, [event("lost")], [])
    await expect(lost).rejects.toThrow("disk full")
    failing = false
    await writer.append("a.b", enginePrincipal, [event("two")], [])
    expect(await verifyJournal(store, "a.b")).toBe(2)
  })

  it("writes a rider with the next step, before it, or alone when none comes", async () => {
    const store = await open()
    const clock = new SimClock()
    const writer = new LedgerWriter(store, clock)
    const before = store.revision
    writer.ride("a.b", enginePrincipal, [event("rider")])
    await clock.advance(500)
    expect(store.revision).toBe(before)
    await writer.append("a.b", enginePrincipal, [event("step")], [])
    expect(store.revision).toBe(before + 1)
    writer.ride("a.b", enginePrincipal, [event("alone")])
    await clock.advance(1500)
    expect(store.revision).toBe(before + 2)
    writer.ride("a.b", enginePrincipal, [event("last")])
    await writer.flush()
    const notes: string[] = []
    for await (const { event: one } of readJournal(store, "a.b")) {
      if (one.type === "release") notes.push(one.note ?? "")
    }
    expect(notes).toEqual(["rider", "step", "alone", "last"])
    expect(await verifyJournal(store, "a.b")).toBe(4)
  })

  it("writes nothing once another process has opened the store", async () => {
    const store = await open()
    const asked: Check[] = []
    const fenced: Store = Object.create(store, {
      identity: { value: store.identity },
      commit: {
        value: async (checks: readonly Check[]) => {
          asked.push(...checks)
          return { kind: "refused", failed: checks[0], current: 99 }
        },
      },
    })
    const writer = new LedgerWriter(fenced, new SimClock())
    const late = writer.append("a.b", enginePrincipal, [event("late")], [])
    await expect(late).rejects.toThrow("another writer has taken over")
    expect(asked).toEqual([store.identity.epochCheck])
  })
})
