// The checker on small histories of sets: a deletecollection, a cascade, and the same with a fault.

import { describe, expect, it } from "vitest"
import { checkHistory } from "./check-history.ts"
import { countCascaded, orphansLeft } from "./check-sets.ts"
import type { Clear, History, Key, Seen, Stored, Write } from "./history.ts"
import { Timeline } from "./timeline.ts"

const keyOf = (name: string): Key => `configmaps/one/${name}`
const names = ["k0", "k1", "k2"]

const created = (name: string, index: number, owner?: string): Write => {
  const data = { w: name }
  const owned = owner === undefined ? {} : { owner }
  return {
    ...{ what: "write", id: name, key: keyOf(name), change: { kind: "create", data, ...owned } },
    ...{ invoked: 10 * index, responded: 10 * index + 5, status: 201 },
    result: { revision: 11 + index, uid: `u-${name}`, data, ...owned },
  }
}

const last = (name: string, revision: number, owner?: string): Stored => {
  return {
    revision,
    uid: `u-${name}`,
    data: { w: name },
    ...(owner === undefined ? {} : { owner }),
  }
}

const clear = (gone: readonly (readonly [string, number])[], more: Partial<Clear> = {}): Clear => ({
  ...{ what: "clear", id: "x", selection: { collection: "configmaps", namespace: "one" } },
  ...{ invoked: 50, responded: 60, status: 200 },
  gone: gone.map(([name, revision]) => [keyOf(name), last(name, revision)]),
  revisions: gone.map(([, revision]) => revision),
  ...more,
})

const watch = (seen: readonly Seen[]): History["watches"][number] => ({
  ...{ name: "all", selection: { collection: "configmaps" }, start: 10, invoked: 0, cut: false },
  seen,
})

const deleted = (name: string, revision: number, owner?: string): Seen => {
  const stored = last(name, revision, owner)
  return { type: "DELETED", at: 70 + revision, revision, key: keyOf(name), stored }
}

const added = (name: string, revision: number, owner?: string): Seen => ({
  ...deleted(name, revision, owner),
  ...{ type: "ADDED", at: 10 * (revision - 11) + 5 },
})

const writes = names.map((name, index) => created(name, index))
const ends = (...gone: readonly (readonly [string, number])[]): Seen[] => [
  ...names.map((name, index) => added(name, 11 + index)),
  ...gone.map(([name, revision]) => deleted(name, revision)),
]
const all = [
  ["k0", 14],
  ["k1", 15],
  ["k2", 16],
] as const

const complaints = (one: Clear, seen: readonly Seen[]) =>
  checkHistory({ operations: [...writes, one], watches: [watch(seen)] }).join("\n")

describe("a deletecollection", () => {
  it("may take all of it, one after the other", () => {
    expect(complaints(clear(all), ends(...all))).toBe("")
  })

  it("may have happened or not when nobody heard its answer", () => {
    const { status: _, ...unknown } = clear([], { responded: Number.POSITIVE_INFINITY })
    expect(complaints(unknown, ends(...all))).toBe("")
    expect(complaints(unknown, ends())).toBe("")
  })

  it("may leave what went, was made again or left the selection after it was listed", () => {
    const again = { ...added("k1", 15), at: 55 }
    const made = { ...again, stored: { ...last("k1", 15), uid: "u-again" } }
    const moved = { ...added("k2", 16), type: "MODIFIED", at: 56 } as const
    const relabelled = { ...moved, stored: { ...last("k2", 16), team: "b" } }
    const one = clear([["k0", 17]], {
      selection: { collection: "configmaps", namespace: "one", team: { is: false, value: "b" } },
    })
    const went = { ...deleted("k1", 14), at: 54 }
    const seen = [...ends(), went, made, relabelled, deleted("k0", 17)]
    const wrong = (text: string) => text.includes("never was all of it")
    expect(complaints(one, seen).split("\n").filter(wrong)).toEqual([])
    const taken: readonly [Key, Stored] = [keyOf("k2"), { ...last("k2", 18), team: "b" }]
    const more = { ...one, gone: [...one.gone, taken], revisions: [17, 18] }
    const late = { ...deleted("k2", 18), stored: taken[1] }
    expect(complaints(more, [...seen, late])).toMatch(/never was all of it/)
  })

  it.each<readonly [string, Clear, readonly Seen[], RegExp]>([
    [
      "objects that share a revision",
      clear([all[0], ["k1", 14], all[2]]),
      ends(...all),
      /two stories of 14|not one after the other/,
    ],
    [
      "a revision of somebody else between its own",
      clear([all[0], all[1], ["k2", 17]]),
      ends(all[0], all[1], ["k2", 17]),
      /made 14,15,17, which are not one after the other/,
    ],
    ["half of it", clear([all[0]]), ends(all[0]), /took .*k0, which never was all of it/],
    ["nothing of it", clear([]), ends(), /took , which never was all of it/],
    [
      "another object than was there",
      clear(all, { gone: [[keyOf("k0"), { ...last("k0", 14), uid: "u-other" }]] }),
      ends(...all),
      /took .*k0 as .*, which was/,
    ],
    ["an answer of 500", clear([], { status: 500 }), ends(), /answered 500/],
    ["a conflict with nobody", clear([], { status: 409 }), ends(), /answered 409/],
  ])("is refused for %s", (_, one, seen, complaint) => {
    expect(complaints(one, seen)).toMatch(complaint)
  })
})

describe("a cascade", () => {
  const owned = [created("k0", 0), created("k1", 1, "u-k0")]
  const gone: Write = {
    ...{ what: "write", id: "d", key: keyOf("k0"), change: { kind: "delete" } },
    ...{ invoked: 50, responded: 60, status: 200, deleted: "u-k0" },
  }
  const seen = (owner?: string): Seen[] => [
    ...[added("k0", 11), added("k1", 12, owner)],
    ...[deleted("k0", 13), deleted("k1", 14, owner)],
  ]

  it("takes the dependents along, which nobody names", () => {
    const history = { operations: [...owned, gone], watches: [watch(seen("u-k0"))] }
    expect(checkHistory(history)).toEqual([])
    expect(countCascaded(new Timeline(history))).toBe(1)
    expect(orphansLeft(new Timeline(history))).toEqual([])
  })

  it("is refused for an object without an owner, and for one whose owner stays", () => {
    const free = {
      operations: [created("k0", 0), created("k1", 1), gone],
      watches: [watch(seen())],
    }
    expect(checkHistory(free).join("\n")).toMatch(/k1 at 14 .*nobody asked for it/)
    const stays = seen("u-k0").toSpliced(2, 1)
    const early = { operations: owned, watches: [watch(stays)] }
    expect(checkHistory(early).join("\n")).toMatch(/k1 at 14 .*nobody asked for it/)
  })

  it("is not done while a dependent is left behind", () => {
    const some = seen("u-k0").slice(0, 3)
    const history = { operations: [...owned, gone], watches: [watch(some)] }
    expect(orphansLeft(new Timeline(history))).toEqual([keyOf("k1")])
  })
})
