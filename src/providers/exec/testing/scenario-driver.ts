// Rows of a real SQLite database behind the Python program of examples/22-exec, for the scenario
// suite.

import { renameSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import type { JsonObject } from "../../../base/json.ts"
import { nodeCommands } from "../../../provider/adapter/commands.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { loadPrograms } from "../load-programs.ts"

const path = fileURLToPath(new URL("../../../../examples/22-exec/flag", import.meta.url))

export const execScenarios: ScenarioDriver = {
  kind: "Flag",
  steady: {
    database: "it says where the flag is; another one is another target",
    name: "it names the flag; another one is another target",
  },
  skip: {
    credentials: "a file has no credentials but the plane's own user",
    "partial-answer": "one SELECT sees all rows of one moment, or fails",
  },
  async open({ directory, clock }) {
    const database = `${directory}/flags.db`
    const commands = nodeCommands()
    const kinds = await loadPrograms([{ name: "flag", path }], commands, clock)
    const db = new DatabaseSync(database, { timeout: 5000 })
    db.exec("PRAGMA synchronous = OFF")
    db.exec("CREATE TABLE flags (name PRIMARY KEY, enabled, note, version)")
    const change = (text: string) => (spec: JsonObject) =>
      void db
        .prepare(`UPDATE flags SET ${text}, version = version + 1 WHERE name = ?`)
        .run(String(spec.name))
    return {
      kinds: () => kinds,
      world: worldWith({ commands }),
      spec: (n, version) => ({
        ...{ database, name: `flag-${n}`, enabled: (n + version) % 2 === 0 },
        note: `note ${n} of 'version' ${version}\n`,
      }),
      async facts() {
        const rows = db.prepare("SELECT name, enabled, note FROM flags").all()
        return new Map(
          rows.map(({ name, enabled, note }) => [
            JSON.stringify([database, name]),
            { database, name: String(name), enabled: enabled === 1, note: String(note) },
          ]),
        )
      },
      drifts: {
        // Neither version of any sample has such a note, and no flag has both at once.
        enabled: change("enabled = 1 - enabled"),
        note: change("note = 'by hand'"),
      },
      make({ name, enabled, note }) {
        const insert = db.prepare("INSERT OR REPLACE INTO flags VALUES (?, ?, ?, 1)")
        insert.run(String(name), enabled === true ? 1 : 0, String(note))
      },
      remove: ({ name }) => void db.prepare("DELETE FROM flags WHERE name = ?").run(String(name)),
      foreign: () => db.exec("INSERT INTO flags VALUES ('flag', 1, '', 7), ('flag-', 0, 'x', 8)"),
      troubles: {
        async "server-stopped"() {
          renameSync(database, `${database}.away`)
          return async () => renameSync(`${database}.away`, database)
        },
      },
      async close() {
        db.close()
        commands.close()
      },
    }
  },
}
