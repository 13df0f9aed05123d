// Random histories against a model that keeps every state: reads at every revision, watches from
// every revision, restarts and compactions must agree with it.

import fc from "fast-check"
import { expect, it } from "vitest"
import type { Write } from "../../src/contract/store.ts"
import { bytes, linesOf, type StoreBench, text } from "./store.ts"

type Step =
  | {
      kind: "commit"
      writes: { key: number; delete: boolean; apart: boolean }[]
      check?: { key: number; right: boolean }
    }
  | { kind: "compact"; back: number }
  | { kind: "reopen" }

const keys = Array.from({ length: 6 }, (_, index) => `t/${index % 2 === 0 ? "a" : "b"}/${index}`)
const keyArbitrary = fc.nat(keys.length - 1)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record(
        {
          kind: fc.constant("commit" as const),
          writes: fc.uniqueArray(
            fc.record({ key: keyArbitrary, delete: fc.boolean(), apart: fc.boolean() }),
            { maxLength: 4, selector: (write) => write.key },
          ),
          check: fc.record({ key: keyArbitrary, right: fc.boolean() }),
        },
        { requiredKeys: ["kind", "writes"] },
      ),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const), back: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const) }) },
  ),
  { maxLength: 40 },
)

interface Cell {
  readonly value: string
  readonly mod: number
}

class Model {
  current = new Map<string, Cell>()
  /** States by revision; the state at a revision is the last at or before it. */
  readonly states: { revision: number; state: ReadonlyMap<string, Cell> }[] = []
  readonly lines: { revision: number; line: string }[] = []
  oldest = 0

  /** The revision of each write. */
  commit(after: number, writes: readonly Write[]): number[] {
    let revision = after
    let last: Write | undefined
    return writes.map((write) => {
      if (write.kind === "delete" && !this.current.has(write.key)) return revision
      if (last === undefined || last.apart || write.apart) revision++
      last = write
      if (write.kind === "put") {
        const value = text(write.value)
        this.current.set(write.key, { value, mod: revision })
        this.lines.push({ revision, line: `${revision}:put:${write.key}=${value}` })
      } else {
        this.current.delete(write.key)
        this.lines.push({ revision, line: `${revision}:delete:${write.key}` })
      }
      this.states.push({ revision, state: new Map(this.current) })
      return revision
    })
  }

  at(revision: number): ReadonlyMap<string, Cell> {
    return this.states.findLast((entry) => entry.revision <= revision)?.state ?? new Map()
  }
}

async function runStep(bench: StoreBench, model: Model, step: Step, count: number): Promise<void> {
  if (step.kind === "reopen") return bench.reopen()
  if (step.kind === "compact") {
    const before = Math.max(model.oldest, bench.store.revision - step.back)
    await bench.store.compact(before)
    model.oldest = before
    return
  }
  const writes = step.writes.map((write, index): Write => {
    const common = { key: keys[write.key] ?? "", ...(write.apart ? { apart: true as const } : {}) }
    if (write.delete) return { kind: "delete", ...common }
    return { kind: "put", ...common, value: bytes(`${count}.${index}`) }
  })
  const key = keys[step.check?.key ?? 0] ?? ""
  const there = model.current.get(key)?.mod ?? 0
  const modRevision = step.check?.right === false ? there + 1 : there
  const checks = step.check === undefined ? [] : [{ key, modRevision }]
  const before = bench.store.revision
  const answer = await bench.store.commit(checks, writes)
  if (step.check?.right === false) {
    expect(answer).toMatchObject({ kind: "refused", current: there })
    return
  }
  const revisions = model.commit(before, writes)
  expect(answer).toEqual({
    ...{ kind: "committed", revision: revisions.at(-1) ?? before },
    ...(writes.some(({ apart }) => apart) ? { revisions } : {}),
  })
}

async function compare(bench: StoreBench, model: Model): Promise<void> {
  const newest = bench.store.revision
  for (let at = Math.max(0, model.oldest - 2); at <= newest; at++) {
    for (const prefix of ["t/", "t/a/"]) {
      const range = await bench.store.range({ prefix, at })
      if (at < model.oldest) {
        expect(range).toEqual({ kind: "compacted", oldest: model.oldest })
        continue
      }
      const found = range.kind === "range" ? range.entries : []
      const expected = [...model.at(at)].filter(([key]) => key.startsWith(prefix)).sort()
      expect(
        found.map((entry) => [entry.key, { value: text(entry.value), mod: entry.modRevision }]),
      ).toEqual(expected.map(([key, cell]) => [key, cell]))
    }
  }
  for (const after of [model.oldest, Math.floor((model.oldest + newest) / 2)]) {
    const expected = model.lines.filter((line) => line.revision > after)
    const watch = bench.watch({ after })
    const seen: string[] = []
    while (seen.length < expected.length) {
      const event = await watch.next()
      if (event === undefined) break
      seen.push(...linesOf(event))
    }
    watch.abort()
    expect(seen).toEqual(expected.map((line) => line.line))
  }
}

export function modelPromises(bench: StoreBench, numRuns: number): void {
  it("agrees with a model that keeps every state, over random histories", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await bench.start()
        const model = new Model()
        for (const [count, step] of history.entries()) await runStep(bench, model, step, count)
        await compare(bench, model)
      }),
      { numRuns },
    )
  })
}
