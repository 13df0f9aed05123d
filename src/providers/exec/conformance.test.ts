// The programs of examples/22-exec against the suite that every provider has to pass: one in bash
// that is run for each request, one in Python that stays.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { afterAll, describe, test } from "vitest"
import { requireTool } from "../../../test/tools.ts"
import type { Json } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { conformanceOf } from "../../provider/conformance/conformance.ts"
import type { ConformanceSubject, Outside, Samples } from "../../provider/conformance/subject.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { loadPrograms } from "./load-programs.ts"
import { commandFaultModes, faultyCommands } from "./testing/faulty-commands.ts"

const example = (name: string) =>
  fileURLToPath(new URL(`../../../examples/22-exec/${name}`, import.meta.url))
const commands = nodeCommands()
afterAll(() => commands.close())

type Door = Omit<Outside, "failNext" | "mutations">

function subjectOf(
  kind: KindProvider,
  make: (directory: string) => { readonly samples: Samples; readonly door: Door },
): ConformanceSubject {
  return {
    kind,
    modes: commandFaultModes,
    async setup() {
      const directory = mkdtempSync(join(tmpdir(), "spt-exec-"))
      const { samples, door } = make(directory)
      const faulty = faultyCommands(commands)
      return {
        ...{ world: worldWith({ commands: faulty.commands }), samples },
        outside: { ...door, failNext: faulty.failNext, mutations: faulty.mutations },
        close: async () => rmSync(directory, { recursive: true, force: true }),
      }
    },
  }
}

const settings = (kind: KindProvider) =>
  subjectOf(kind, (directory) => {
    const file = join(directory, "app.conf")
    writeFileSync(file, "")
    const lines = () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    const nameOf = (identity: string) => (JSON.parse(identity) as string[])[1] ?? ""
    const edit = (identity: string, change: (line: string) => string[]) => {
      const own = `${nameOf(identity)}=`
      const edited = lines().flatMap((line) => (line.startsWith(own) ? change(line) : [line]))
      writeFileSync(file, edited.map((line) => `${line}\n`).join(""))
    }
    let foreign = 0
    const spec = (name: string, value: string) => ({ file, name, value })
    return {
      samples: {
        ...{ first: spec("port", "80"), second: spec("port", "a 'b' \"c\" $d") },
        others: [spec("host", ""), spec("por", "x=y")],
      },
      door: {
        list: async () =>
          new Map(lines().map((line) => [JSON.stringify([file, line.split("=")[0] ?? ""]), line])),
        drift: async (identity) => edit(identity, (line) => [`${line}x`]),
        remove: async (identity) => edit(identity, () => []),
        async addForeign() {
          foreign++
          writeFileSync(file, `${readFileSync(file, "utf8")}foreign${foreign}=1\n`)
          return JSON.stringify([file, `foreign${foreign}`])
        },
      },
    }
  })

const flags = (kind: KindProvider) =>
  subjectOf(kind, (directory) => {
    const database = join(directory, "flags.db")
    const sql = <T>(task: (db: DatabaseSync) => T): T => {
      const db = new DatabaseSync(database)
      try {
        return task(db)
      } finally {
        db.close()
      }
    }
    sql((db) => db.exec("CREATE TABLE flags (name PRIMARY KEY, enabled, note, version)"))
    const nameOf = (identity: string) => (JSON.parse(identity) as string[])[1] ?? ""
    let foreign = 0
    const spec = (name: string, enabled: boolean, note: string) => ({
      database,
      name,
      enabled,
      note,
    })
    return {
      samples: {
        ...{ first: spec("beta", true, "a"), second: spec("beta", false, "ä'\n") },
        others: [spec("dark", true, ""), spec("fast", false, "x")],
      },
      door: {
        list: async () =>
          sql((db) => {
            const rows = db.prepare("SELECT name, enabled, note FROM flags").all()
            return new Map(
              rows.map((row) => [JSON.stringify([database, row.name]), { ...row } as Json]),
            )
          }),
        drift: async (identity) =>
          sql((db) => {
            const text = "UPDATE flags SET note = note || 'x', version = version + 1 WHERE name = ?"
            db.prepare(text).run(nameOf(identity))
          }),
        remove: async (identity) =>
          sql((db) => void db.prepare("DELETE FROM flags WHERE name = ?").run(nameOf(identity))),
        async addForeign() {
          foreign++
          sql((db) => db.exec(`INSERT INTO flags VALUES ('foreign${foreign}', 1, '', 5)`))
          return JSON.stringify([database, `foreign${foreign}`])
        },
      },
    }
  })

const full = process.env.SETPOINT_TEST_FULL === "1"
/** A process for each request is slow; `npm run test:all` examines every rule. */
const quick = new Set(["definition-is-structural", "identity-is-derived", "stale-token-refused"])

const programs = [
  { name: "setting", tools: ["bash", "jq", "flock"], subject: settings, rules: quick },
  { name: "flag", tools: ["python3"], subject: flags },
]

for (const { name, tools, subject, rules } of programs) {
  const { missing } = requireTool(...tools)
  const loaded = [{ name, path: example(name) }]
  for (const kind of missing ? [] : await loadPrograms(loaded, commands, systemClock)) {
    describe(`${kind.kind} (${name}) obeys`, { timeout: 60_000 }, () => {
      for (const rule of conformanceOf(subject(kind), systemClock)) {
        if (!full && rules?.has(rule.name) === false) continue
        if (rule.skipped === undefined) test(`${rule.name}: ${rule.rule}`, rule.run)
        else test.skip(`${rule.name}: ${rule.skipped}`, rule.run)
      }
    })
  }
}
