import { beforeEach, describe, expect, it } from "vitest"
import { Ledger } from "../ledger/ledger.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { acceptedRevision, acceptWrite, recordGood } from "./source-record.ts"

const loop = "default.site"
const source = "git https://host/site.git"
const ann = { name: "ann", kind: "human" } as const

let ledger: Ledger

beforeEach(async () => {
  const clock = new SimClock()
  ledger = new Ledger(await openMemoryStore({ clock, random: new SimRandom(1) }), clock)
  await ledger.open()
})

const take = (revision: string) =>
  recordGood(ledger, loop, { revision, source, objects: 1, taken: { revision } })

async function accept(revision: string, from: string): Promise<void> {
  const write = acceptWrite(loop, { revision, from, by: "ann", at: "now", reason: "seen" })
  await ledger.note(loop, ann, [], [write])
}

const accepted = () => acceptedRevision(ledger, loop, source)

describe("an accepted revision", () => {
  it("passes from the revision at which a person looked", async () => {
    await take("one")
    await accept("other", "one")
    expect(await accepted()).toBe("other")
  })

  it("passes from no other revision", async () => {
    await take("one")
    await accept("other", "one")
    await take("two")
    expect(await accepted()).toBeUndefined()
  })

  it("is used up once it was taken, also where the loop goes back after that", async () => {
    await take("one")
    await accept("other", "one")
    await take("other")
    expect(await accepted()).toBeUndefined()
    await take("one")
    expect(await accepted()).toBeUndefined()
  })

  it("passes for no other source", async () => {
    await take("one")
    await accept("other", "one")
    expect(await acceptedRevision(ledger, loop, "git https://host/other.git")).toBeUndefined()
  })
})
