// The decisions of the example DatabaseCluster against a model of its nodes, through random losses:
// no two primaries of one epoch, and nothing that was acknowledged is lost while fewer than a
// majority lose their data at once.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type ClusterState,
  first,
  type Known,
  type MemberFacts,
  step,
} from "../../examples/25-composition/step.ts"

interface Node {
  alive: boolean
  role: string
  epoch: number
  log: readonly Entry[]
  synced: boolean
}

interface Entry {
  readonly epoch: number
  readonly id: number
}

const unborn: Node = { alive: true, role: "none", epoch: 0, log: [], synced: false }
const wish = { members: 3, replaceAfterMs: 50 }

/** Nodes as kv-node.mjs behaves, told by orders as member.ts tells them. */
class Model {
  state: ClusterState = first
  readonly nodes = new Map<string, Node>()
  readonly acknowledged = new Set<number>()
  readonly leaders = new Map<number, Set<string>>()
  now = 0
  #id = 0
  #backup: readonly Entry[] | undefined

  /** One pass of the composer, and what the loops then make of some members. */
  pass(told: readonly boolean[]): void {
    this.now += 10
    this.state = step(this.state, wish, this.known())
    for (const name of this.nodes.keys()) {
      if (!this.state.members.includes(name)) this.nodes.delete(name)
    }
    for (const [index, name] of this.state.members.entries()) {
      const node = this.nodes.get(name) ?? { ...unborn }
      this.nodes.set(name, node)
      if (told[index % told.length] === true && node.alive) this.tell(name, node)
    }
    const { phase, primary, begun } = this.state
    const lead = this.nodes.get(primary)
    if (phase === "serving" && begun && lead?.role === "primary") this.#backup ??= lead.log
    for (const [name, node] of this.nodes) this.#replicate(name, node, told)
  }

  /** Everything that a primary has, to the replicas that it reaches; answers with how many. */
  #replicate(name: string, node: Node, reach: readonly boolean[]): number {
    if (!node.alive || node.role !== "primary") return 0
    const others = this.state.members.filter((one) => one !== name)
    return others.filter((one, index) => {
      const other = this.nodes.get(one)
      const takes = other?.alive === true && other.role === "replica"
      if (!takes || other.epoch !== node.epoch || reach[index % reach.length] !== true) return false
      const last = other.log.at(-1)
      if (last?.epoch === node.epoch && other.log.length > node.log.length) return false
      Object.assign(other, { log: node.log, synced: true })
      return true
    }).length
  }

  tell(name: string, node: Node): void {
    const { phase, epoch, primary, from, atLeast } = this.state
    if (epoch === 0 || epoch < node.epoch) return
    const role = phase === "electing" ? "fenced" : name === primary ? "primary" : "replica"
    const leads = node.role === "primary" && node.epoch === epoch
    if (role === "primary" && !leads) {
      if (from !== "own" && node.log.length > 0) return
      if (from === "own" && (!node.synced || node.log.length < atLeast)) return
      if (from === "backup") node.log = this.#backup ?? []
      node.synced = true
      this.leaders.set(epoch, (this.leaders.get(epoch) ?? new Set()).add(name))
    }
    node.epoch = epoch
    node.role = role
  }

  known(): Known {
    const members = [...this.nodes].map(
      ([name, { alive, role, epoch, log, synced }]): [string, MemberFacts] => {
        const last = { epoch: log.at(-1)?.epoch ?? 0, n: log.length }
        const rests = role === "none" || role === "fenced"
        const told = { role, epoch, ...(rests ? { empty: !synced, last } : {}) }
        return [name, { name, alive, ...(alive ? { told } : {}) }]
      },
    )
    const saved = this.#backup === undefined ? {} : { backup: this.#backup.length }
    return { members: new Map(members), now: this.now, ...saved }
  }

  /** A client writes to whoever takes itself for primary; `reach` are the replicas it gets to. */
  write(reach: readonly boolean[]): void {
    for (const [name, node] of this.nodes) {
      if (!node.alive || node.role !== "primary") continue
      const entry = { epoch: node.epoch, id: ++this.#id }
      node.log = [...node.log, entry]
      const have = this.#replicate(name, node, reach)
      if ((have + 1) * 2 > this.state.members.length) this.acknowledged.add(entry.id)
    }
  }

  kill(index: number, wipe: boolean): void {
    const name = this.state.members[index % Math.max(1, this.state.members.length)] ?? ""
    const node = this.nodes.get(name)
    if (node === undefined) return
    node.alive = false
    node.role = "none"
    if (wipe) Object.assign(node, { ...unborn, alive: false })
  }

  revive(): void {
    for (const node of this.nodes.values()) node.alive = true
  }

  /** The primary that leads, once all is calm. */
  settle(): Node | undefined {
    this.revive()
    for (let pass = 0; pass < 20; pass++) {
      this.pass([true])
      this.write([true])
    }
    const { phase, primary } = this.state
    return phase === "serving" ? this.nodes.get(primary) : undefined
  }
}

type Event =
  | { readonly kind: "pass"; readonly some: readonly boolean[] }
  | { readonly kind: "write"; readonly some: readonly boolean[] }
  | { readonly kind: "kill"; readonly index: number }
  | { readonly kind: "revive" }

const some = fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })
const events = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("pass" as const), some }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("write" as const), some }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("kill" as const), index: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("revive" as const) }) },
  ),
  { maxLength: 60 },
)

function live(given: readonly Event[], wipeOnce: number): Model {
  const model = new Model()
  let wiped = false
  for (let pass = 0; pass < 4; pass++) model.pass([true])
  for (const [at, event] of given.entries()) {
    if (event.kind === "pass") model.pass(event.some)
    else if (event.kind === "write") model.write(event.some)
    else if (event.kind === "revive") model.revive()
    else {
      model.kill(event.index, !wiped && at >= wipeOnce)
      wiped ||= at >= wipeOnce
    }
  }
  return model
}

describe("the decisions of a DatabaseCluster", () => {
  it("never make two primaries in one epoch, and lose nothing that was acknowledged", () => {
    fc.assert(
      fc.property(events, fc.nat(60), (given, wipeOnce) => {
        const model = live(given, wipeOnce)
        const primary = model.settle()
        for (const names of model.leaders.values()) expect(names.size).toBe(1)
        expect(primary?.role).toBe("primary")
        const kept = new Set(primary?.log.map(({ id }) => id))
        expect([...model.acknowledged].filter((id) => !kept.has(id))).toEqual([])
      }),
      { numRuns: process.env.SETPOINT_TEST_FULL === "1" ? 20_000 : 1500 },
    )
  })

  it("load the backup only when all members are known to be empty, and say so without one", () => {
    const empty = { role: "fenced", epoch: 2, empty: true, last: { epoch: 0, n: 0 } }
    const member = (name: string, told?: MemberFacts["told"]): [string, MemberFacts] => [
      name,
      { name, alive: told !== undefined, ...(told === undefined ? {} : { told }) },
    ]
    const electing: ClusterState = {
      ...first,
      ...{ phase: "electing", epoch: 2, begun: true, members: ["m0", "m1", "m2"], next: 3 },
    }
    const all = new Map([member("m0", empty), member("m1", empty), member("m2", empty)])
    const doubt = new Map([member("m0", empty), member("m1", empty), member("m2")])
    const full = { ...empty, empty: false, last: { epoch: 1, n: 4 } }
    const one = new Map([member("m0", empty), member("m1", full), member("m2", empty)])
    const next = (members: Known["members"], backup?: number) =>
      step(electing, wish, { members, now: 0, ...(backup === undefined ? {} : { backup }) })
    expect(next(all, 7)).toMatchObject({ phase: "serving", from: "backup" })
    expect(next(all)).toMatchObject({ phase: "electing", stuck: expect.stringContaining("backup") })
    expect(next(doubt, 7)).toMatchObject({ phase: "electing" })
    expect(next(one, 7)).toMatchObject({ phase: "serving", primary: "m1", from: "own" })
  })
})
