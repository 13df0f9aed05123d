// The checker on small histories: one that is right in every way, and the same with one fault.

import { describe, expect, it } from "vitest"
import { checkHistory } from "./check-history.ts"
import type { Change, History, Operation, Seen, Stored, Watch, Write } from "./history.ts"

const key = "configmaps/one/k0"
const stored = (revision: number, w: string, more: Partial<Stored> = {}): Stored => ({
  ...{ revision, uid: "u1", data: { w } },
  ...more,
})

const write = (
  id: string,
  [invoked, responded]: readonly [number, number],
  change: Change,
  more: Partial<Write> = {},
): Write => ({ what: "write", id, key, change, invoked, responded, status: 200, ...more })

const event = (type: Seen["type"], revision: number, at: number, content?: Stored): Seen => ({
  ...{ type, revision, at, key },
  ...(content === undefined ? {} : { stored: { ...content, revision } }),
})

const collection = "configmaps"
const first = stored(11, "a", { data: { w: "a" }, team: "a" })
const second = stored(12, "b", { data: { w: "b" }, team: "b" })
const third = stored(13, "c", { data: { w: "c", c: "c" }, team: "b" })

/** Created, swapped, merged, deleted; read in between; watched by three. */
function right(): {
  create: Write
  put: Write
  merge: Write
  gone: Write
  others: Operation[]
  all: Watch
  team: Watch
  marked: Watch
} {
  const put: Change = { kind: "put", against: 11, data: { w: "b" }, team: "b" }
  const merge: Change = { kind: "merge", data: { w: "c", c: "c" } }
  const seen = [
    event("ADDED", 11, 16, first),
    event("MODIFIED", 12, 36, second),
    event("BOOKMARK", 12, 37),
    event("MODIFIED", 13, 56, third),
    event("DELETED", 14, 76, third),
  ]
  const base = { selection: { collection }, start: 10, invoked: 0, cut: false }
  return {
    create: write(
      "a",
      [10, 20],
      { kind: "create", data: { w: "a" }, team: "a" },
      { result: first, status: 201 },
    ),
    put: write("b", [30, 40], put, { result: second }),
    merge: write("c", [50, 60], merge, { result: third }),
    gone: write("d", [70, 80], { kind: "delete", against: 13 }, { deleted: "u1" }),
    others: [
      { what: "read", id: "r", key, invoked: 42, responded: 45, status: 200, result: second },
      { what: "read", id: "s", key, invoked: 82, responded: 85, status: 404 },
      {
        ...{ what: "list", id: "l", selection: { collection }, invoked: 61, responded: 65 },
        ...{ status: 200, revisions: [13, 13], items: [[key, third]] },
      },
      write("e", [41, 44], put, { status: 409 }),
      write("f", [46, 48], { kind: "touch" }, { result: second }),
    ],
    all: { ...base, name: "all", seen },
    team: {
      ...{ ...base, name: "team", selection: { collection, team: { is: true, value: "a" } } },
      seen: [event("ADDED", 11, 16, first), event("DELETED", 12, 36, first)],
    },
    marked: {
      ...{ ...base, name: "marked", start: "state with an end mark", invoked: 45 },
      seen: [event("ADDED", 12, 46, second), event("INITIAL-END", 12, 47), ...seen.slice(3)],
    },
  }
}

type Right = ReturnType<typeof right>
const historyOf = ({ create, put, merge, gone, others, all, team, marked }: Right): History => ({
  operations: [create, put, merge, gone, ...others],
  watches: [all, team, marked],
})

describe("a right history", () => {
  it("has nothing to complain about, also when an answer was lost", () => {
    expect(checkHistory(historyOf(right()))).toEqual([])
    const { deleted: _, status: __, ...lost } = right().gone
    const unknown = { ...lost, responded: Number.POSITIVE_INFINITY }
    expect(checkHistory(historyOf({ ...right(), gone: unknown }))).toEqual([])
  })
})

type Fault = readonly [string, (good: Right) => Right, RegExp]
const without = (watch: Watch, index: number): Watch => {
  return { ...watch, seen: watch.seen.toSpliced(index, 1) }
}
const swapped = (watch: Watch, index: number): Watch => {
  const [a, b] = watch.seen.slice(index, index + 2)
  return a && b ? { ...watch, seen: watch.seen.toSpliced(index, 2, b, a) } : watch
}
const twice = (watch: Watch, index: number): Watch => {
  const [one] = watch.seen.slice(index, index + 1)
  return one ? { ...watch, seen: watch.seen.toSpliced(index, 0, one) } : watch
}
const changed = (watch: Watch, index: number, more: Partial<Seen>): Watch => {
  const [one] = watch.seen.slice(index, index + 1)
  return one ? { ...watch, seen: watch.seen.toSpliced(index, 1, { ...one, ...more }) } : watch
}
const read = (id: string, invoked: number, responded: number, result?: Stored): Operation => ({
  ...{ what: "read", id, key, invoked, responded, status: result === undefined ? 404 : 200 },
  ...(result === undefined ? {} : { result }),
})
const alsoDone = (...more: readonly Operation[]) => {
  return (good: Right): Right => ({ ...good, others: [...good.others, ...more] })
}

const faults: readonly Fault[] = [
  [
    "a lost update: a merge that dropped what another wrote",
    (good) => {
      const data = { c: "c", w: "c" }
      const put = {
        ...good.put,
        change: { ...good.put.change, data: { w: "b", x: "y" } } as Change,
      }
      const kept = { ...second, data: { w: "b", x: "y" } }
      const all = changed(good.all, 1, { stored: kept })
      const marked = changed(good.marked, 0, { stored: kept })
      const others = good.others.slice(1, 3)
      const merge = { ...good.merge, result: { ...third, data } }
      return { ...good, put: { ...put, result: kept }, all, marked, merge, others }
    },
    /c on .* lost something/,
  ],
  [
    "a swap against what was not there",
    (good) => ({
      ...good,
      put: { ...good.put, change: { kind: "put", against: 9, data: second.data, team: "b" } },
    }),
    /b on .* swapped against 9/,
  ],
  [
    "a delete against what was not there",
    (good) => ({ ...good, gone: { ...good.gone, change: { kind: "delete", against: 12 } } }),
    /wanted 12, deleted/,
  ],
  [
    "a JSON patch whose test did not hold",
    (good) => ({
      ...good,
      merge: { ...good.merge, change: { kind: "json", test: "z", data: third.data } },
    }),
    /tested for z/,
  ],
  ["a stale read", alsoDone(read("x", 62, 64, second)), /x \(read.*saw .* at 12/],
  [
    "a stale read after somebody's watch told of it",
    alsoDone(read("x", 57, 59, second)),
    /x \(read/,
  ],
  ["a read of the future", alsoDone(read("x", 21, 25, second)), /x \(read/],
  ["a phantom", alsoDone(read("x", 22, 25, stored(99, "ghost"))), /nobody asked for it/],
  ["a read of nothing where something was", alsoDone(read("x", 42, 45)), /x \(read.*saw nothing/],
  [
    "a write before one that was acknowledged",
    (good) => ({ ...good, merge: { ...good.merge, invoked: 81, responded: 90 } }),
    /c \(merge.*made 13, but 14/,
  ],
  [
    "an acknowledged write that never happened",
    alsoDone(write("x", [90, 95], { kind: "delete" }, { deleted: "u9" })),
    /x \(delete.*never happened/,
  ],
  [
    "a refused write that happened",
    (good) => ({ ...good, put: { ...good.put, status: 409 } }),
    /b on .* refused with 409/,
  ],
  [
    "a refusal without a reason",
    alsoDone(write("x", [41, 44], { kind: "put", against: 12, data: { w: "x" } }, { status: 409 })),
    /x \(put.*refused with 409/,
  ],
  [
    "one write that happened twice",
    (good) => ({
      ...good,
      all: {
        ...good.all,
        seen: [...good.all.seen, event("ADDED", 15, 99, { ...third, uid: "u2" })],
      },
    }),
    /c on .* happened at 13 already/,
  ],
  [
    "two stories of one revision",
    alsoDone(read("x", 42, 45, { ...second, data: { w: "a" } })),
    /two stories of 12/,
  ],
  ["an answer of 500", alsoDone(write("x", [90, 95], { kind: "touch" }, { status: 500 })), /500/],
  [
    "pages of two snapshots",
    (good) => ({
      ...good,
      others: good.others.map((one) =>
        one.what === "list" ? { ...one, revisions: [13, 12] } : one,
      ),
    }),
    /pages of 13, 12/,
  ],
  [
    "a list that lacks something",
    (good) => ({
      ...good,
      others: good.others.map((one) => (one.what === "list" ? { ...one, items: [] } : one)),
    }),
    /l \(list.*has , not/,
  ],
  [
    "a list of another revision than asked for",
    (good) => ({
      ...good,
      others: good.others.map((one) => (one.what === "list" ? { ...one, exact: 12 } : one)),
    }),
    /asked for 12, got 13/,
  ],
  ["a gap", (good) => ({ ...good, all: without(good.all, 3) }), /watch all: saw DELETED/],
  ["a gap at the end", (good) => ({ ...good, all: without(good.all, 4) }), /watch all: never saw/],
  ["a repeat", (good) => ({ ...good, all: twice(good.all, 1) }), /watch all: saw MODIFIED/],
  ["reordered events", (good) => ({ ...good, all: swapped(good.all, 0) }), /watch all: saw/],
  ["a mark ahead of events", (good) => ({ ...good, all: swapped(good.all, 1) }), /watch all: mark/],
  [
    "a delete with the revision of the last write",
    (good) => ({ ...good, all: changed(good.all, 4, { revision: 13 }) }),
    /two stories of 13|watch all: saw DELETED/,
  ],
  [
    "no goodbye when an object leaves the selection",
    (good) => ({ ...good, team: without(good.team, 1) }),
    /watch team: never saw DELETED/,
  ],
  [
    "a goodbye with what the object became",
    (good) => ({ ...good, team: changed(good.team, 1, { stored: second }) }),
    /watch team: saw DELETED/,
  ],
  [
    "an end mark before the state is complete",
    (good) => ({ ...good, marked: swapped(good.marked, 0) }),
    /watch marked: its end mark/,
  ],
  [
    "no end mark",
    (good) => ({ ...good, marked: without(good.marked, 1) }),
    /watch marked: never told/,
  ],
  [
    "a first state that never was",
    (good) => ({ ...good, all: { ...good.all, start: "state", seen: good.all.seen.slice(1) } }),
    /watch all/,
  ],
  [
    "a watch that was told to begin again",
    (good) => ({ ...good, all: { ...good.all, seen: [event("ERROR", 10, 5), ...good.all.seen] } }),
    /watch all: was told an error/,
  ],
]

describe("a history is refused for", () => {
  it.each(faults)("%s", (_, plant, complaint) => {
    expect(checkHistory(historyOf(plant(right()))).join("\n")).toMatch(complaint)
  })
})
