// Real files of cron in a directory that stands for /, for the scenario suite. They are read here
// as cron reads them, line by line, and not by what wrote them.

import * as fs from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import type { FilesAct } from "../../../contract/world.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { hostKinds } from "../host-kinds.ts"
import { PrivateRoot } from "./private-root.ts"

interface Job extends JsonObject {
  readonly schedule: string
  readonly user: string
  readonly command: string
}

function factsOf(path: string): JsonObject {
  const all = fs.readFileSync(path, "utf8").split("\n")
  const lines = all.filter((line) => line !== "" && !line.startsWith("#"))
  const variables = lines.flatMap((line) => [...line.matchAll(/^(\w+)="(.*)"$/g)])
  const jobs = lines.flatMap((line) => {
    const [, schedule, user, command] = /^(\S+(?: \S+){4}) (\S+) (.+)$/.exec(line) ?? []
    return /^\w+=/.test(line) ? [] : [{ schedule, user, command }]
  })
  const environment = Object.fromEntries(variables.map(([, name, value]) => [name, value ?? ""]))
  return { environment, jobs, permissions: `root 0${(fs.statSync(path).mode & 0o777).toString(8)}` }
}

export const cronScenarios = (files: FilesAct): ScenarioDriver => ({
  kind: "CronFile",
  skip: {
    credentials: "the plane's own user is the only credential of a host",
    "partial-answer": "each file is read by itself, whole or not at all",
  },
  async open() {
    const root = new PrivateRoot()
    const folder = `${root.path}/etc/cron.d`
    const pathOf = ({ name }: JsonObject) => `${folder}/${String(name)}`
    return {
      kinds: () => hostKinds({ root: root.path }),
      world: worldWith({ files }),
      spec: (n, version) => ({
        ...{ name: `sample${n}`, permissions: "root 0644" },
        environment: { MAILTO: `ops${version}`, ...(n % 2 === 0 ? { LANG: "C" } : {}) },
        jobs: Array.from({ length: 1 + (n % 3) }, (_, index) => ({
          ...{ schedule: `*/${5 + version} ${n % 24} * * mon-fri`, user: "root" },
          command: `echo 'job ${index}  of ${n}' | tee -a /tmp/log`,
        })),
      }),
      async facts() {
        const names = fs.readdirSync(folder)
        return new Map(names.map((name) => [name, factsOf(`${folder}/${name}`)]))
      },
      drifts: {
        jobs: (spec) => fs.appendFileSync(pathOf(spec), "1 2 3 4 5 root evil\n"),
        environment: (spec) => fs.appendFileSync(pathOf(spec), 'PATH="/evil"\n'),
        permissions: (spec) => fs.chmodSync(pathOf(spec), 0o666),
      },
      make(spec) {
        const variables = Object.entries(spec.environment as JsonObject)
        const jobs = (spec.jobs as Job[]).map((job) => `${job.schedule} ${job.user} ${job.command}`)
        const lines = [...variables.map(([name, value]) => `${name}="${String(value)}"`), ...jobs]
        fs.writeFileSync(pathOf(spec), lines.map((line) => `${line}\n`).join(""), { mode: 0o644 })
      },
      importScope: { cron: "all" },
      remove: (spec) => fs.rmSync(pathOf(spec)),
      foreign: () => fs.writeFileSync(`${folder}/sample`, "5 4 * * * root true\n", { mode: 0o600 }),
      troubles: {
        async "server-stopped"() {
          fs.renameSync(folder, `${root.path}/away`)
          return async () => fs.renameSync(`${root.path}/away`, folder)
        },
      },
      close: async () => root.remove(),
    }
  },
})
