// Real directories, some with things in them that are nobody's, for the scenario suite.

import * as fs from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { nodeFiles } from "../adapter/node-files.ts"
import { fileKinds } from "../file-kinds.ts"

const pathOf = (spec: JsonObject) => String(spec.path)
const modeText = (mode: number) => (mode & 0o7777).toString(8).padStart(4, "0")

function factsOf(path: string): JsonObject {
  const stat = fs.lstatSync(path)
  const place = { owner: String(stat.uid), group: String(stat.gid), mode: modeText(stat.mode) }
  if (stat.isDirectory()) return { ...place, entries: fs.readdirSync(path).sort() }
  return { ...place, text: fs.readFileSync(path, "utf8") }
}

function make(spec: JsonObject): void {
  const path = pathOf(spec)
  if (!fs.existsSync(path)) fs.mkdirSync(path)
  fs.chownSync(path, Number(spec.owner), Number(spec.group))
  fs.chmodSync(path, Number.parseInt(String(spec.mode), 8))
}

export const directoryScenarios: ScenarioDriver = {
  kind: "Directory",
  steady: {
    root: "it says where the path may lie and is no part of the directory",
    purge: "it says what else is removed and is no part of the directory",
  },
  skip: {
    credentials: "the plane's own user is the only credential of a file system",
    "partial-answer": "each directory is read by itself, whole or not at all",
  },
  async open({ directory, clock }) {
    const [targets, backupDirectory] = [`${directory}/targets`, `${directory}/backups`]
    fs.mkdirSync(targets)
    return {
      kinds: () => fileKinds({ roots: [targets], forbidden: [], clock, backupDirectory }),
      world: worldWith({ files: nodeFiles() }),
      spec: (n, version) => ({
        ...{ path: `${targets}/sample ${n}`, owner: `${n % 7}`, group: `${version + 3}` },
        mode: ["0755", "0700", "2775", "1777"][(n + version) % 4] ?? "0755",
      }),
      async facts() {
        const names = fs.readdirSync(targets)
        return new Map(names.map((name) => [`${targets}/${name}`, factsOf(`${targets}/${name}`)]))
      },
      drifts: {
        mode: (spec) => fs.chmodSync(pathOf(spec), 0o511),
        owner: (spec) => fs.chownSync(pathOf(spec), 9, Number(spec.group)),
        group: (spec) => fs.chownSync(pathOf(spec), Number(spec.owner), 9),
      },
      make,
      importScope: { path: targets, private: "include" },
      remove: (spec) => fs.rmdirSync(pathOf(spec)),
      foreign() {
        make({ path: `${targets}/sample`, owner: "5", group: "5", mode: "0711" })
        fs.writeFileSync(`${targets}/sample/kept`, "nobody's")
        make({ path: `${targets}/sample empty`, owner: "5", group: "5", mode: "0711" })
        fs.writeFileSync(`${targets}/sample file`, "nobody's", { mode: 0o600 })
      },
      troubles: {
        async "server-stopped"() {
          fs.renameSync(targets, `${directory}/unmounted`)
          return async () => fs.renameSync(`${directory}/unmounted`, targets)
        },
      },
    }
  },
}
