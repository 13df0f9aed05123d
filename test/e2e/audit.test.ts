// The audit and report commands against a real plane and against its data directory, with a journal
// that somebody edits behind its back.

import { readFileSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { JsonObject } from "../../src/base/json.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { JournalEntry } from "../../src/contract/journal.ts"
import { enginePrincipal } from "../../src/contract/principal.ts"
import type { Store, Write } from "../../src/contract/store.ts"
import { decodeDocument, encodeDocument, ledgerKeys } from "../../src/ledger/keys.ts"
import { LedgerWriter } from "../../src/ledger/ledger-writer.ts"
import { scanPrefix } from "../../src/ledger/scan.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { itInFull } from "../full.ts"
import { CliRig } from "./cli-server-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const loop = "default.site"
let cli: CliRig
beforeEach(() => {
  cli = new CliRig()
})
afterEach(() => cli.close())

/** A plane that kept three files, corrected one, and ended in order. */
async function lived(): Promise<void> {
  cli.declareFiles("site", 3)
  const up = cli.start("up", "site")
  await up.said(/3 of 3 as declared/)
  writeFileSync(cli.path("out", "file-1"), "drift")
  await up.said(/updated File file-1/)
  await up.end()
}

async function behindItsBack(edit: (store: Store) => Promise<void>): Promise<void> {
  const directory = cli.path(".setpoint")
  const data = await openDataDirectory({ directory, clock: systemClock, random: systemRandom })
  try {
    await edit(data.store)
  } finally {
    await data.close()
  }
}

describe("setpoint audit", () => {
  it("verifies, anchors and exports over a running plane and on its directory alike", async () => {
    cli.declareFiles("site", 3)
    const up = cli.start("up", "site")
    await up.said(/3 of 3 as declared/)
    const running = await cli.run("audit", "verify")
    expect(running).toMatchObject({ code: 0, stderr: "" })
    expect(running.stdout).toMatch(/default\.site +sound +1-\d+/)
    const anchor = await cli.run("audit", "anchor")
    writeFileSync(cli.path("heads.json"), anchor.stdout)
    expect(await cli.run("audit", "verify", "--anchor", "heads.json")).toMatchObject({ code: 0 })
    const exported = await cli.run("audit", "export", "site", "--since", "1h")
    const entries = exported.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JournalEntry)
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
    expect(entries.filter(({ event }) => event.type === "receipt")).toHaveLength(3)
    const report = JSON.parse((await cli.run("-o", "json", "report", "site")).stdout) as JsonObject
    expect(report.done).toMatchObject([{ verb: "create", kind: "File", actions: 3, objects: 3 }])
    await up.end()
    const offline = await cli.run("audit", "verify", "site", "--anchor", "heads.json")
    expect(offline.code).toBe(0)
    expect(offline.stderr).toContain("no plane is running")
    const again = await cli.run("audit", "export", "site")
    expect(again.stdout.startsWith(exported.stdout)).toBe(true)
  })

  itInFull("names the entry that somebody changed, with and without a plane; exit 1", async () => {
    await lived()
    await behindItsBack(async (store) => {
      const key = ledgerKeys.journalEntry(loop, 3)
      const stored = await store.get(key)
      if (stored === undefined || "kind" in stored) throw new Error("no such entry")
      const changed = { ...decodeDocument<JournalEntry>(stored.value), principal: "nobody" }
      await store.commit([], [{ kind: "put", key, value: encodeDocument(changed) }])
    })
    const offline = await cli.run("audit", "verify")
    expect(offline.code).toBe(1)
    expect(offline.stderr).toContain("the journal of default.site: entry 3 was changed")
    const up = cli.start("up", "site")
    await up.said(/3 of 3 as declared/)
    const running = await cli.run("-o", "json", "audit", "verify", "site")
    expect(running.code).toBe(1)
    const { checks } = JSON.parse(running.stdout) as { checks: JsonObject[] }
    expect(checks).toMatchObject([{ bad: { record: "entry", sequence: 3, what: "was changed" } }])
  })

  itInFull(
    "knows a journal that was written anew by the heads that were kept elsewhere",
    async () => {
      await lived()
      writeFileSync(cli.path("heads.json"), (await cli.run("audit", "anchor")).stdout)
      await behindItsBack(async (store) => {
        const old: JournalEntry[] = []
        for await (const { value } of scanPrefix(store, ledgerKeys.journal(loop))) {
          old.push(decodeDocument<JournalEntry>(value))
        }
        const keys = old.map(({ sequence }) => ledgerKeys.journalEntry(loop, sequence))
        const gone: Write[] = [...keys, ledgerKeys.journalHead(loop)].map((key) => ({
          ...{ kind: "delete", key },
        }))
        await store.commit([], gone)
        const writer = new LedgerWriter(store, systemClock)
        await writer.open()
        const told = old.map(({ event }) => event).filter(({ type }) => type !== "receipt")
        await writer.append(loop, enginePrincipal, [...told, ...told], [])
      })
      expect((await cli.run("audit", "verify")).code).toBe(0)
      const compared = await cli.run("audit", "verify", "--anchor", "heads.json")
      expect(compared.code).toBe(1)
      expect(compared.stderr).toContain("kept elsewhere")
    },
  )

  it("refuses what is no file of heads, no time and no journal, with a hint", async () => {
    await lived()
    writeFileSync(cli.path("bad.json"), "{}")
    for (const [args, said] of [
      [["audit", "verify", "--anchor", "bad.json"], "it holds no heads"],
      [["audit", "verify", "--anchor", "missing.json"], "missing.json"],
      [["audit", "verify", "nothing"], "there is none"],
      [["audit", "export", "site", "--since", "soon"], "that is no time"],
      [["up", "site", "--journal-keep", "1h"], "at least a day"],
    ] as const) {
      const { code, stderr } = await cli.run(...args)
      expect(code).not.toBe(0)
      expect(stderr).toContain(said)
    }
    expect(readFileSync(cli.path("bad.json"), "utf8")).toBe("{}")
  })
})
