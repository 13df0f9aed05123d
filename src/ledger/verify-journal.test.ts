import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../base/protections.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { Store } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { journalLoops, readAnchors, readHead, readJournal } from "./journal.ts"
import { ledgerKeys } from "./keys.ts"
import { LedgerWriter } from "./ledger-writer.ts"
import {
  editors,
  type JournalPlan,
  journalDocuments,
  writeJournal,
} from "./testing/journal-edits.ts"
import { checkJournal, type JournalCheck, recordText, verifyJournal } from "./verify-journal.ts"

const loop = "default.site"
const open = () => openMemoryStore({ clock: new SimClock(), random: new SimRandom(1) })

async function journal(plan: Partial<JournalPlan> = {}): Promise<Store> {
  const store = await open()
  const whole = { commits: Array(10).fill(2), segment: 4, oldCommits: 0, dropped: 0, ...plan }
  await writeJournal(store, new SimClock(), loop, whole)
  return store
}

async function checkAll(store: Store): Promise<JournalCheck[]> {
  const checks: JournalCheck[] = []
  for (const one of await journalLoops(store)) checks.push(await checkJournal(store, one))
  return checks
}

const badOf = async (store: Store) => {
  const bad = (await checkAll(store)).find((check) => check.bad !== undefined)?.bad
  return bad === undefined ? undefined : `${recordText(bad)} ${bad.what}`
}

const plans: fc.Arbitrary<JournalPlan> = fc.record({
  commits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 14 }),
  segment: fc.integer({ min: 1, max: 9 }),
  oldCommits: fc.integer({ min: 0, max: 5 }),
  dropped: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
})

const dice = fc.double({ min: 0, max: 0.999, noNaN: true })
const edits = fc.tuple(fc.constantFrom(...Object.keys(editors)), fc.tuple(dice, dice, dice))

describe("verifying a journal", () => {
  it("finds any single edit of entries, anchors and heads, old ones dropped or not", async () => {
    let tried = 0
    const property = fc.asyncProperty(
      plans,
      fc.array(edits, { minLength: 40, maxLength: 40 }),
      async (plan, chosen) => {
        const store = await open()
        await writeJournal(store, new SimClock(), loop, plan)
        await writeJournal(store, new SimClock(), "default.second", { ...plan, dropped: 0 })
        expect(await badOf(store)).toBeUndefined()
        const documents = await journalDocuments(store)
        for (const [name, throws] of chosen) {
          const edit = editors[name]?.(documents, throws)
          if (edit === undefined) continue
          await store.commit([], edit.writes)
          const bad = await badOf(store)
          if (bad === undefined) throw new Error(`nobody noticed: ${edit.text}`)
          await store.commit([], edit.undo)
          tried++
        }
        expect(await badOf(store)).toBeUndefined()
      },
    )
    await fc.assert(property, { numRuns: 80 })
    expect(tried).toBeGreaterThan(2000)
  }, 60_000)
})

describe("segments", () => {
  it("leave an anchor in the commit that closes them, chained to the one before", async () => {
    const store = await journal()
    const anchors = await Array.fromAsync(readAnchors(store, loop))
    expect(anchors.map(({ from, to }) => [from, to])).toEqual(
      [1, 5, 9, 13, 17].map((from) => [from, from + 3]),
    )
    expect(anchors[1]?.previousAnchorHash).toBe(anchors[0]?.hash)
    expect((await readHead(store, loop))?.anchor).toEqual({ to: 20, hash: anchors[4]?.hash })
    const entries = await Array.fromAsync(readJournal(store, loop))
    expect(anchors[0]?.lastHash).toBe(entries[3]?.hash)
  })

  it("close what was written before there were any, all at once", async () => {
    const store = await journal({ oldCommits: 9 })
    const anchors = await Array.fromAsync(readAnchors(store, loop))
    expect(anchors.map(({ from, to }) => [from, to])).toEqual([[1, 19]])
    expect(await checkJournal(store, loop)).toMatchObject({ from: 1, to: 20, entries: 20 })
  })

  it("a journal without any verifies as it always did", async () => {
    const store = await journal({ oldCommits: 10 })
    expect(await checkJournal(store, loop)).toMatchObject({ from: 1, to: 20, anchors: 0 })
    expect(await verifyJournal(store, loop)).toBe(20)
  })
})

describe("dropping old entries", () => {
  it("leaves the anchors, and verification says from where it verified", async () => {
    const store = await journal({ dropped: 0.5 })
    const check = await checkJournal(store, loop)
    expect(check).toMatchObject({ from: 11, to: 20, entries: 10, anchors: 5 })
    expect(check.bad).toBeUndefined()
    const [first] = await Array.fromAsync(readJournal(store, loop))
    expect(first?.sequence).toBe(11)
  })

  it("never touches a segment that is still open", async () => {
    const store = await journal({ commits: [6], segment: 4 })
    const writer = new LedgerWriter(store, new SimClock())
    await writer.open()
    await writer.drop(loop, 6, [])
    expect(await checkJournal(store, loop)).toMatchObject({ from: 1, entries: 6 })
    await writer.drop(loop, 5, [])
    expect(await checkJournal(store, loop)).toMatchObject({ from: 5, entries: 2 })
    await writer.append(loop, enginePrincipal, [{ type: "release", object: "x" }], [])
    expect(await checkJournal(store, loop)).toMatchObject({ from: 5, to: 7 })
  })

  it("is told from an entry that somebody took away", async () => {
    const store = await journal({ dropped: 0.5 })
    await store.commit([], [{ kind: "delete", key: ledgerKeys.journalEntry(loop, 11) }])
    expect(await badOf(store)).toBe("entry 12 does not follow 10")
  })
})

describe("a head that was kept elsewhere", () => {
  const keptOf = async (store: Store) => {
    const head = await readHead(store, loop)
    if (head === undefined) throw new Error("no head")
    return [{ loop, ...head }]
  }

  it("is found again in a journal that went on", async () => {
    const store = await journal()
    const kept = await keptOf(store)
    const writer = new LedgerWriter(store, new SimClock(), { segmentSize: 4 })
    await writer.open()
    await writer.append(loop, enginePrincipal, [{ type: "release", object: "x" }], [])
    expect((await checkJournal(store, loop, kept)).bad).toBeUndefined()
  })

  it("gives a journal away that was written anew, although it is sound by itself", async () => {
    const kept = await keptOf(await journal())
    const other = await journal({ commits: Array(5).fill(4) })
    expect((await checkJournal(other, loop)).bad).toBeUndefined()
    const { bad } = await checkJournal(other, loop, kept)
    expect(bad?.what).toMatch(/another one than the (one|head) that was kept elsewhere/)
  })

  it("gives a journal away that ends earlier, or is not there at all", async () => {
    const kept = await keptOf(await journal())
    const shorter = await journal({ commits: Array(9).fill(2) })
    expect((await checkJournal(shorter, loop, kept)).bad).toMatchObject({ sequence: 20 })
    expect((await checkJournal(await open(), loop, kept)).bad).toMatchObject({ sequence: 20 })
  })

  it("is compared by its anchor once its entry was dropped, and needs one then", async () => {
    const [kept] = await keptOf(await journal({ commits: [5] }))
    const later = await journal({ commits: [5, ...Array(10).fill(2)], dropped: 0.9 })
    if (kept === undefined) throw new Error("no head")
    expect((await checkJournal(later, loop, [kept])).bad).toBeUndefined()
    const { anchor: _, ...bare } = kept
    expect((await checkJournal(later, loop, [bare])).bad?.what).toContain("can't be compared")
  })
})

describe("without the check of the head", () => {
  let arm = () => {}
  afterEach(() => arm())

  it("nobody would notice that the end was cut off", async () => {
    const store = await journal({ segment: 100 })
    await store.commit([], [{ kind: "delete", key: ledgerKeys.journalEntry(loop, 20) }])
    expect(await badOf(store)).toBe("entry 20 is missing: the head names 20 as the last entry")
    arm = disarm("journal-head-verified")
    expect(await badOf(store)).toBeUndefined()
  })
})
