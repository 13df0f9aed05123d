// Real files and symbolic links in a directory of their own, for the scenario suite.

import * as fs from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { nodeFiles } from "../adapter/node-files.ts"
import { fileKinds } from "../file-kinds.ts"

const pathOf = (spec: JsonObject) => String(spec.path)

function factsOf(path: string): JsonObject {
  const stat = fs.lstatSync(path)
  const accounts = { owner: String(stat.uid), group: String(stat.gid) }
  if (stat.isSymbolicLink()) return { symlink: fs.readlinkSync(path), ...accounts }
  const bytes = fs.readFileSync(path)
  const body = { content: `${bytes}`, contentBase64: bytes.toString("base64") }
  return { ...body, mode: (stat.mode & 0o7777).toString(8).padStart(4, "0"), ...accounts }
}

function make(spec: JsonObject): void {
  const path = pathOf(spec)
  fs.rmSync(path, { force: true })
  if (typeof spec.symlink === "string") fs.symlinkSync(spec.symlink, path)
  else fs.writeFileSync(path, Buffer.from(String(spec.contentBase64 ?? ""), "base64"))
  if (typeof spec.content === "string") fs.writeFileSync(path, spec.content)
  fs.lchownSync(path, Number(spec.owner), Number(spec.group))
  if (spec.symlink === undefined) fs.chmodSync(path, Number.parseInt(String(spec.mode), 8))
}

export const fileScenarios: ScenarioDriver = {
  kind: "File",
  steady: { root: "it says where the path may lie and is no part of the file" },
  skip: {
    credentials: "the plane's own user is the only credential of a file system",
    "partial-answer": "each file is read by itself, whole or not at all",
  },
  async open({ directory, clock }) {
    const [targets, backupDirectory] = [`${directory}/targets`, `${directory}/backups`]
    fs.mkdirSync(targets)
    return {
      kinds: () => fileKinds({ roots: [targets], forbidden: [], clock, backupDirectory }),
      world: worldWith({ files: nodeFiles() }),
      spec(n, version) {
        const place = { path: `${targets}/sample ${n}`, owner: `${n % 7}`, group: `${version + 3}` }
        if (n % 3 === 2) return { ...place, symlink: `nowhere/${n}.${version}` }
        const mode = ["0644", "0600", "0750", "4755"][(n + version) % 4] ?? "0644"
        const text = `sample ${n}, version ${version}\n`.repeat(1 + (n % 5))
        if (n % 3 === 0) return { ...place, mode, content: text }
        return { ...place, mode, contentBase64: Buffer.from(`\0${text}`).toString("base64") }
      },
      async facts() {
        const names = fs.readdirSync(targets)
        return new Map(names.map((name) => [`${targets}/${name}`, factsOf(`${targets}/${name}`)]))
      },
      drifts: {
        content: (spec) => fs.writeFileSync(pathOf(spec), "by hand"),
        contentBase64: (spec) => fs.appendFileSync(pathOf(spec), "by hand"),
        symlink: (spec) => make({ ...spec, symlink: "by/hand" }),
        mode: (spec) => fs.chmodSync(pathOf(spec), 0o611),
        owner: (spec) => fs.lchownSync(pathOf(spec), 9, Number(spec.group)),
        group: (spec) => fs.lchownSync(pathOf(spec), Number(spec.owner), 9),
      },
      make,
      importScope: { path: targets, private: "include" },
      remove: (spec) => fs.rmSync(pathOf(spec)),
      foreign() {
        fs.writeFileSync(`${targets}/sample`, "nobody's", { mode: 0o600 })
        fs.writeFileSync(`${targets}/.setpoint-of-somebody`, "nobody's")
        fs.symlinkSync("sample", `${targets}/sample link`)
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
