import { describe, expect, it } from "vitest"
import { finishAction } from "../contract/action.ts"
import { enginePrincipal } from "../contract/principal.ts"
import type { TargetRecord } from "../contract/record.ts"
import type { Store, Write } from "../contract/store.ts"
import { SimClock } from "../sim/sim-clock.ts"
import { SimRandom } from "../sim/sim-random.ts"
import { openMemoryStore } from "../store/open-memory-store.ts"
import { decodeDocument, ledgerKeys } from "./keys.ts"
import { Ledger } from "./ledger.ts"

const loop = "default.site"
const record: TargetRecord = {
  ...{ format: 1, uid: "u1", object: "files/a", loop, kind: "File", target: "file:/a" },
  ...{ owned: true, incarnation: 1, generation: 1 },
}
const action = finishAction({
  ...{ verb: "update", uid: "u1", object: "files/a", kind: "File", loop, generation: 1 },
  ...{ incarnation: 1, target: "file:/a", changes: [], cause: { kind: "edit", text: "" } },
})
const claims = (writes: readonly Write[]) =>
  writes.filter(({ key }) => key.startsWith(ledgerKeys.claims)).map(({ kind }) => kind)

async function opened(store: Store): Promise<Ledger> {
  const ledger = new Ledger(store, new SimClock())
  await ledger.open()
  return ledger
}

const openStore = () => openMemoryStore({ clock: new SimClock(), random: new SimRandom(1) })
const begin = (ledger: Ledger) =>
  ledger.begin(loop, enginePrincipal, [{ action, record, applied: {} }], [])

async function claimant(store: Store): Promise<string | undefined> {
  const entry = await store.get(ledgerKeys.claim("file:/a"))
  if (entry === undefined || "kind" in entry) return undefined
  return decodeDocument<{ uid: string }>(entry.value).uid
}

describe("the claim of a target", () => {
  it("is durable with the first intent and not written again, also after a restart", async () => {
    const store = await openStore()
    const ledger = await opened(store)
    await begin(ledger)
    expect(await claimant(store)).toBe("u1")
    expect(claims(ledger.recordWrites(record))).toEqual([])
    expect(claims((await opened(store)).recordWrites(record))).toEqual([])
  })

  it("is written again when the intent that carried it was not", async () => {
    const store = await openStore()
    const ledger = await opened(store)
    const commit = store.commit.bind(store)
    store.commit = () => Promise.reject(new Error("the disk is full"))
    await expect(begin(ledger)).rejects.toThrow("the disk is full")
    store.commit = commit
    await begin(ledger)
    expect(await claimant(store)).toBe("u1")
  })

  it("is written for another object, and again for one that had let go", async () => {
    const store = await openStore()
    const ledger = await opened(store)
    await begin(ledger)
    expect(claims(ledger.recordWrites({ ...record, uid: "u2" }))).toEqual(["put"])
    expect(claims(ledger.dropRecordWrites("u2", "file:/a"))).toEqual(["delete"])
    expect(claims(ledger.recordWrites(record))).toEqual(["put"])
  })
})
