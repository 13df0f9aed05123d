import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ServedResource } from "../served-resource.ts"
import type { RawEvent, RawWatchEvent } from "../verb-watch.ts"
import { type Follower, type OpenWatch, SharedWatches } from "./shared-watches.ts"

const collection = {
  resource: { group: "", version: "v1", resource: "things" } as ServedResource,
  namespace: "",
}

/** Changes as they come: of each revision one or several. */
class Past {
  readonly events: RawEvent[] = []
  readonly openFrom: number[] = []
  looks = 0
  #wake: (() => void)[] = []
  #end: Error | "over" | undefined

  add(count: number): void {
    const revision = (this.events.at(-1)?.revision ?? 0) + 1
    for (let left = count; left > 0; left--) {
      const value = Buffer.from(`${revision}/${left}`)
      const event = { type: "ADDED", value, revision, written: revision } as const
      this.events.push(left > 1 ? { ...event, more: true } : event)
    }
    this.#wake.splice(0).map((wake) => wake())
  }

  /** All streams of it. */
  end(how: Error | "over"): void {
    this.#end = how
    this.#wake.splice(0).map((wake) => wake())
  }

  readonly open: OpenWatch = (after, signal) => {
    this.openFrom.push(Number(after))
    const wake = () => this.#wake.splice(0).map((one) => one())
    signal.addEventListener("abort", wake, { once: true })
    return this.#read(Number(after), signal)
  }

  async *#read(after: number, signal: AbortSignal): AsyncGenerator<RawWatchEvent> {
    const { revision: newest = 0 } = this.events.at(-1) ?? {}
    let at = this.events.findIndex(({ revision }) => revision > after)
    if (at < 0) at = this.events.length
    for (; !signal.aborted || this.events[at - 1]?.more; at++) {
      if (at === this.events.length && newest > after) {
        yield { type: "BOOKMARK", resourceVersion: String(this.events.at(-1)?.revision) }
      }
      while (at === this.events.length && !signal.aborted && this.#end === undefined) {
        await new Promise<void>((resolve) => this.#wake.push(resolve))
      }
      if (this.#end instanceof Error) throw this.#end
      const event = this.events[at]
      if (event === undefined) return
      this.looks++
      yield event
    }
  }
}

/** Reads what it is told; is full as often as it is told to be. */
class Reader implements Follower {
  readonly seen: string[] = []
  /** How much it had seen when it was told that this was everything up to a revision. */
  readonly marks: { readonly seen: number; readonly revision: number }[] = []
  isFull = false
  isGone = false
  readonly #fills: readonly boolean[]
  #owed = 0
  #wake = (_isThere: boolean): void => {}

  constructor(fills: readonly boolean[] = []) {
    this.#fills = fills
  }

  get isBehind(): boolean {
    return this.#owed > 2
  }

  tell(event: RawWatchEvent): void {
    if (event.type === "BOOKMARK") {
      this.marks.push({ seen: this.seen.length, revision: Number(event.resourceVersion) })
      return
    }
    this.seen.push(Buffer.from(event.value).toString())
    if (this.#fills[this.seen.length % Math.max(1, this.#fills.length)] === true) this.isFull = true
    if (this.isFull) this.#owed++
  }

  drain(): void {
    this.isFull = false
    this.#owed = 0
    this.#wake(true)
  }

  go(): void {
    this.isGone = true
    this.#wake(false)
  }

  async caughtUp(): Promise<boolean> {
    if (this.isGone || !this.isFull) return !this.isGone
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const textOf = ({ value }: RawEvent) => Buffer.from(value).toString()

function following(watches: SharedWatches, past: Past, follower: Reader, after: number) {
  const ends = new AbortController()
  const asked = { collection, after: String(after), open: past.open, follower }
  const watch = watches.begin(asked)
  return { follower, after, ends, over: watch.run(ends.signal) }
}

describe("followers of one collection", () => {
  it("are told each event from one look at it once they have seen the same", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    const all = Array.from({ length: 50 }, () => following(watches, past, new Reader(), 0))
    past.add(1)
    await turn()
    expect(past.looks).toBe(50)
    for (let count = 0; count < 10; count++) past.add(1)
    await turn()
    expect(past.looks).toBe(60)
    for (const { follower } of all) expect(follower.seen).toEqual(past.events.map(textOf))
    for (const { ends } of all) ends.abort()
    expect(await Promise.all(all.map(({ over }) => over))).toEqual(all.map(() => "ended"))
  })

  it("do not wait for one that reads nothing, which misses nothing", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    const slow = following(watches, past, new Reader([true]), 0)
    const quick = following(watches, past, new Reader(), 0)
    for (let count = 0; count < 20; count++) {
      past.add(2)
      await turn()
    }
    expect(quick.follower.seen).toHaveLength(40)
    expect(slow.follower.seen.length).toBeLessThan(6)
    while (slow.follower.seen.length < 40) {
      slow.follower.drain()
      await turn()
    }
    expect(slow.follower.seen).toEqual(quick.follower.seen)
    slow.follower.go()
    past.add(1)
    expect(await slow.over).toBe("slow")
    quick.ends.abort()
    expect(await quick.over).toBe("ended")
  })

  it("stay together while all of them are full for a moment", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    const all = Array.from({ length: 20 }, () => following(watches, past, new Reader([true]), 0))
    for (let count = 0; count < 20; count++) {
      past.add(1)
      await turn()
      for (const { follower } of all) follower.drain()
      await turn()
    }
    expect(past.openFrom).toHaveLength(20)
    for (const { follower, ends } of all) {
      expect(follower.seen).toHaveLength(20)
      ends.abort()
    }
    await Promise.all(all.map(({ over }) => over))
  })

  it("do not wait for one that is far behind", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    for (let count = 0; count < 1000; count++) past.add(1)
    const late = following(watches, past, new Reader([true]), 0)
    const current = following(watches, past, new Reader(), 1000)
    await turn()
    past.add(1)
    await turn()
    expect(current.follower.seen).toEqual(["1001/1"])
    expect(late.follower.seen.length).toBeLessThan(1000)
    for (const { ends, follower } of [late, current]) {
      ends.abort()
      follower.drain()
    }
    await Promise.all([late.over, current.over])
  })

  it("go on without one that can't be told", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    const broken = new Reader()
    broken.tell = () => {
      throw new Error("no room")
    }
    const [bad, good] = [broken, new Reader()].map((one) => following(watches, past, one, 0))
    past.add(1)
    await expect(bad?.over).rejects.toThrow("no room")
    past.add(1)
    await turn()
    expect(good?.follower.seen).toEqual(["1/1", "2/1"])
    good?.ends.abort()
    expect(await good?.over).toBe("ended")
  })

  it.each([new Error("compacted"), "over"] as const)(
    "are all told how the stream they are in ends: %s",
    async (how) => {
      const [watches, past] = [new SharedWatches(), new Past()]
      const all = [1, 2, 3].map(() => following(watches, past, new Reader(), 0))
      past.add(1)
      await turn()
      past.end(how)
      const ends = await Promise.allSettled(all.map(({ over }) => over))
      const expected =
        how === "over"
          ? { status: "fulfilled", value: "ended" }
          : { status: "rejected", reason: how }
      expect(ends).toEqual(all.map(() => expected))
    },
  )

  it("are told when they can't go on by themselves", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    const slow = following(watches, past, new Reader([true]), 0)
    const quick = following(watches, past, new Reader(), 0)
    for (let count = 0; count < 5; count++) {
      past.add(1)
      await turn()
    }
    past.end(new Error("compacted"))
    await expect(quick.over).rejects.toThrow("compacted")
    slow.follower.drain()
    await expect(slow.over).rejects.toThrow("compacted")
  })

  it("leave no stream open behind them", async () => {
    const [watches, past] = [new SharedWatches(), new Past()]
    const signals: AbortSignal[] = []
    const open: OpenWatch = (after, signal) => {
      signals.push(signal)
      return past.open(after, signal)
    }
    const all = [1, 2].map(() => {
      const ends = new AbortController()
      const watch = watches.begin({ collection, after: "0", open, follower: new Reader() })
      return { ends, over: watch.run(ends.signal) }
    })
    past.add(1)
    await turn()
    for (const { ends } of all) ends.abort()
    expect(await Promise.all(all.map(({ over }) => over))).toEqual(["ended", "ended"])
    watches.begin({ collection, after: "1", open, follower: new Reader() }).leave()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
  })

  it("see everything after their beginning once and in order, whatever happens when", async () => {
    const happening = fc.oneof(
      fc.record({ kind: fc.constant("add"), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant("begin"), back: fc.nat(6), fills: fc.array(fc.boolean()) }),
      fc.record({ kind: fc.constantFrom("drain", "leave", "go"), who: fc.nat(9) }),
      fc.record({ kind: fc.constant("turn") }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 60 }), async (happenings) => {
        const [watches, past] = [new SharedWatches(), new Past()]
        const all: ReturnType<typeof following>[] = []
        for (const one of happenings) {
          if ("count" in one) past.add(one.count)
          else if ("fills" in one) {
            const newest = past.events.at(-1)?.revision ?? 0
            const after = Math.max(0, newest - one.back)
            all.push(following(watches, past, new Reader(one.fills), after))
          } else if (one.kind === "turn") await turn()
          else if ("who" in one) {
            const { follower, ends } = all[one.who % Math.max(1, all.length)] ?? {}
            if (one.kind === "drain") follower?.drain()
            else if (one.kind === "leave") ends?.abort()
            else {
              follower?.go()
              ends?.abort()
            }
          }
        }
        const due = (after: number) =>
          past.events.filter(({ revision }) => revision > after).map(textOf)
        for (let round = 0; round < 400; round++) {
          for (const { follower } of all) follower.drain()
          await turn()
          const isDone = all.every(({ follower, ends, after }) => {
            const left = follower.isGone || ends.signal.aborted
            return left || follower.seen.length >= due(after).length
          })
          if (isDone) break
        }
        const left = all.map(({ follower, ends }) => follower.isGone || ends.signal.aborted)
        for (const { ends } of all) ends.abort()
        const over = Promise.all(all.map((one) => one.over))
        while ((await Promise.race([over, turn()])) === undefined) {
          for (const { follower } of all) follower.drain()
        }
        for (const [index, { follower, after }] of all.entries()) {
          const wanted = due(after)
          const told = left[index] ? wanted.slice(0, follower.seen.length) : wanted
          expect(follower.seen).toEqual(told)
          for (const { seen, revision } of follower.marks) {
            const upTo = past.events.filter((event) => event.revision <= revision).length
            expect(seen).toBe(upTo - (past.events.length - wanted.length))
          }
          // Who leaves and can be told has seen whole revisions.
          if (!follower.isGone) expect(follower.seen.at(-1) ?? "/1").toMatch(/\/1$/)
        }
      }),
      { numRuns: 300 },
    )
  })
})
