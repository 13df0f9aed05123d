import { expect, it } from "vitest"
import { FlavorBook } from "./flavor-book.ts"
import type { WorkloadFacts } from "./snapshot.ts"

it("counts what a workload of any flavor holds as taken", () => {
  const holder: WorkloadFacts = {
    ...{ uid: "u", name: "w", tenant: "ann", flavor: "a100", priority: 0, gpus: 2, members: 1 },
    ...{ preemptible: true, created: 0 },
    state: { kind: "running", since: 0, seats: [{ node: "n1", devices: [0, 1] }] },
  }
  const node = { name: "n1", flavor: "h100", gpus: 3, cordoned: false, outOfService: false }
  const book = new FlavorBook("h100", [node], new Map(), [], [holder])
  expect(book.free.count).toBe(1)
  expect(book.free.has([{ node: "n1", devices: [2] }])).toBe(true)
})
