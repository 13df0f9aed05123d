import { afterEach, describe, expect, it } from "vitest"
import { disarm } from "../base/protections.ts"
import {
  type Checked,
  type InvariantCheck,
  judgeInvariant,
  judgeInvariantDeletes,
  type Prediction,
} from "./judge-invariant.ts"

type People = Readonly<Record<string, boolean>>

/** At least one admin. */
function oneAdmin(observed: People, unknown = false): InvariantCheck & { readonly calls: number } {
  let calls = 0
  return {
    name: "one-admin",
    kinds: ["User"],
    get calls() {
      return calls
    },
    check(changes): Checked {
      calls++
      if (unknown) return { kind: "unknown", cause: "bob could not be read" }
      const people = after(observed, changes)
      if (Object.values(people).some(Boolean)) return { kind: "holds" }
      return { kind: "broken", failing: [], evidence: [] }
    },
  }
}

/** Nobody is an admin; says who is. */
function noAdmin(observed: People): InvariantCheck {
  return {
    name: "no-admin",
    kinds: ["User"],
    check(changes): Checked {
      const people = after(observed, changes)
      const failing = Object.keys(people).filter((uid) => people[uid])
      return failing.length === 0 ? { kind: "holds" } : { kind: "broken", failing, evidence: [] }
    },
  }
}

function after(observed: People, changes: readonly Prediction[]): Record<string, boolean> {
  const people: Record<string, boolean> = { ...observed }
  for (const { uid, after } of changes) {
    if (after === undefined) delete people[uid]
    else people[uid] = after.admin === true
  }
  return people
}

const user = (uid: string, more: Partial<Prediction>): Prediction => ({
  uid,
  kind: "User",
  makes: false,
  destructive: false,
  after: undefined,
  ...more,
})
const gone = (uid: string) => user(uid, { destructive: true })
const made = (uid: string, admin: boolean) => user(uid, { makes: true, after: { admin } })
const changed = (uid: string, admin: boolean) => user(uid, { after: { admin } })

const verdicts = (
  invariant: InvariantCheck,
  actions: readonly Prediction[],
  underWay: readonly Prediction[] = [],
) =>
  Object.fromEntries(
    [...judgeInvariant(invariant, actions, underWay)].map(([uid, { kind, reason }]) => [
      uid,
      `${kind} ${reason.code}`,
    ]),
  )

const broken = "deny InvariantBroken"

describe("an invariant that holds", () => {
  it("lets a round go after which it holds, for the price of two evaluations", () => {
    const invariant = oneAdmin({ ann: true, bob: true })
    const others = Array.from({ length: 500 }, (_, index) => gone(`u${index}`))
    expect(verdicts(invariant, [gone("ann"), ...others])).toEqual({})
    expect(invariant.calls).toBe(2)
  })

  it("denies exactly the actions that would break it", () => {
    const people = { ann: true, bob: true, eve: false }
    const round = [gone("eve"), gone("ann"), gone("bob")]
    expect(verdicts(oneAdmin(people), round)).toEqual({ bob: broken })
    expect(verdicts(oneAdmin({ ann: true }), [changed("ann", false)])).toEqual({ ann: broken })
    expect(verdicts(noAdmin({ ann: false }), [made("eve", true)])).toEqual({ eve: broken })
  })

  it("makes destruction wait for what is still to be made", () => {
    const round = [gone("ann"), made("bob", true)]
    expect(verdicts(oneAdmin({ ann: true }), round)).toEqual({ ann: "wait InvariantWaits" })
    expect(verdicts(oneAdmin({ ann: true }), [gone("ann")], [made("bob", true)])).toEqual({
      ann: "wait InvariantWaits",
    })
    expect(verdicts(oneAdmin({ ann: true, bob: true }), [gone("ann")])).toEqual({})
  })

  it("counts destruction that is under way", () => {
    const people = { ann: true, bob: true }
    expect(verdicts(oneAdmin(people), [gone("bob")], [gone("ann")])).toEqual({ bob: broken })
    expect(judgeInvariantDeletes(oneAdmin(people), [gone("bob")], [])).toBeUndefined()
    expect(judgeInvariantDeletes(oneAdmin(people), [gone("bob")], [gone("ann")])).toMatchObject({
      code: "InvariantBroken",
    })
  })

  it("has no say about other kinds", () => {
    const file = { ...gone("ann"), kind: "File" }
    expect(verdicts(oneAdmin({ ann: true }), [file])).toEqual({})
  })

  it("denies what it had no time to try", () => {
    const invariant = noAdmin({})
    const round = Array.from({ length: 500 }, (_, index) => made(`u${index}`, true))
    expect(Object.keys(verdicts(invariant, round))).toHaveLength(500)
  })
})

describe("an invariant that is broken already", () => {
  it("lets things be corrected, and lets nothing be destroyed where it can't tell", () => {
    const invariant = oneAdmin({ ann: false })
    expect(verdicts(invariant, [changed("ann", true)])).toEqual({})
    expect(verdicts(invariant, [made("bob", false)])).toEqual({})
    expect(verdicts(invariant, [gone("ann")])).toEqual({ ann: broken })
  })

  it("denies only what makes it worse when it can name what fails", () => {
    const invariant = noAdmin({ ann: true, bob: false })
    expect(verdicts(invariant, [gone("bob")])).toEqual({})
    expect(verdicts(invariant, [gone("ann")])).toEqual({})
    expect(verdicts(invariant, [made("eve", true)])).toEqual({ eve: broken })
  })
})

describe("an invariant that can't be evaluated", () => {
  it("blocks destruction and nothing else", () => {
    const invariant = oneAdmin({}, true)
    const round = [gone("ann"), made("bob", true), changed("eve", false)]
    expect(verdicts(invariant, round)).toEqual({ ann: "deny InvariantUnknown" })
  })

  it("without kinds blocks every destruction of its loop", () => {
    const invariant = { ...oneAdmin({}, true), kinds: [] }
    const file = { ...gone("ann"), kind: "File" }
    expect(verdicts(invariant, [file, made("bob", true)])).toEqual({ ann: "deny InvariantUnknown" })
  })
})

describe("without the protection", () => {
  let arm = () => {}
  afterEach(() => arm())

  it("an invariant denies nothing", () => {
    arm = disarm("invariant-denies")
    expect(verdicts(oneAdmin({ ann: true }), [gone("ann")])).toEqual({})
  })

  it("an invariant that can't be evaluated lets things be destroyed", () => {
    arm = disarm("unevaluable-invariant-blocks-destruction")
    expect(verdicts(oneAdmin({}, true), [gone("ann")])).toEqual({})
  })
})
