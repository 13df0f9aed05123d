// Users and groups against the suite that every provider has to pass, with the real tools in a
// directory that stands for /. They need root, as in CI; others skip it by name.

import {
  appendFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, describe, test } from "vitest"
import { requireTool } from "../../../test/tools.ts"
import type { Json, JsonObject } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { conformanceOf } from "../../provider/conformance/conformance.ts"
import type { ConformanceSubject, Outside, Samples } from "../../provider/conformance/subject.ts"
import { nodeFiles } from "../file/adapter/node-files.ts"
import { hostKinds } from "./host-kinds.ts"
import { faultyWorld, hostFaultModes } from "./testing/faulty-world.ts"
import { PrivateRoot } from "./testing/private-root.ts"

const root = new PrivateRoot()
const commands = nodeCommands()
afterAll(() => {
  commands.close()
  root.remove()
})

/** The tools sync everything; `npm run test:all` examines every rule. */
const quick = new Set(["definition-is-structural", "delete-then-absent", "stale-token-refused"])
const full = process.env.SETPOINT_TEST_FULL === "1"
const kinds = hostKinds({ root: root.path })

interface Given {
  readonly kind: string
  readonly samples: Samples
  readonly door: Omit<Outside, "failNext" | "mutations">
}

function subjectOf({ kind: name, samples, door }: Given): ConformanceSubject {
  const kind = kinds.find((each) => each.kind === name)
  if (kind === undefined) throw new Error(`no kind ${name}`)
  return {
    kind,
    modes: hostFaultModes,
    limitMs: 20_000,
    skip: {
      "checked-at-effect":
        "neither the shadow tools nor POSIX have a compare-and-swap: it is read right before",
    },
    async setup() {
      root.reset()
      const { world, failNext, mutations } = faultyWorld({ files: nodeFiles(), commands })
      return { world, samples, outside: { ...door, failNext, mutations }, close: async () => {} }
    },
  }
}

const base = new Set(["root", "daemon", "sudo", "crew", "deck"])
let foreign = 0

const hash = (salt: string) => `$6$${salt}$${"a".repeat(86)}`
const users: Given = {
  kind: "User",
  samples: {
    first: {
      ...{ name: "ann", uid: 1500, groups: ["crew"], comment: "Ann", shell: "/bin/sh" },
      ...{ passwordHash: hash("one"), authorizedKeys: ["ssh-ed25519 AAAA ann@a"] },
      ...{ createHome: true, enabled: true, system: false, onDelete: "remove" },
    },
    second: {
      ...{ name: "ann", uid: 1400, groups: ["deck", "sudo"], comment: "Ann B", shell: "/bin/bash" },
      ...{ passwordHash: hash("two"), authorizedKeys: ["ssh-ed25519 BBBB ann@b"] },
      ...{ createHome: true, enabled: false, system: false, onDelete: "remove" },
    },
    others: [other("bob"), other("eve")],
  },
  door: {
    async list() {
      const names = root.lines("passwd").map((line) => line.split(":")[0] ?? "")
      const own = names.filter((name) => !base.has(name) && !isRetired(name))
      return new Map(own.map((name): [string, Json] => [name, allOf(name)]))
    },
    drift: async (name) => root.edit("passwd", name, (fields) => replaced(fields, 4, "drifted")),
    async remove(name) {
      for (const file of ["passwd", "shadow", "group", "gshadow"]) root.edit(file, name, () => [])
    },
    async addForeign() {
      const [name, id] = [`foreign${++foreign}`, 5000 + foreign]
      root.add("passwd", `${name}:x:${id}:100:Foreign:/none:/bin/sh`)
      root.add("shadow", `${name}:!:20000::::::`)
      return name
    },
  },
}

/** The same, but what is deleted stays, disabled, and is no target any more. */
const retired: Given = {
  ...users,
  samples: {
    first: { ...users.samples.first, onDelete: "disable" },
    second: { ...users.samples.second, onDelete: "disable" },
    others: users.samples.others,
  },
}

const isRetired = (name: string) => root.line("shadow", name)?.split(":")[7] === "2"

function other(name: string): JsonObject {
  return { name, createHome: false, enabled: true, system: false, onDelete: "disable" }
}

function allOf(name: string): JsonObject {
  const [, password = "", , , , , , expires = ""] = root.line("shadow", name)?.split(":") ?? []
  const member = (line: string) => (line.split(":")[3] ?? "").split(",").includes(name)
  const groups = root
    .lines("group")
    .filter(member)
    .map((line) => line.split(":")[0] ?? "")
  return { passwd: root.line("passwd", name), password, expires, groups }
}

const replaced = (fields: readonly string[], at: number, value: string) =>
  fields.map((field, index) => (index === at ? value : field))

const groups: Given = {
  kind: "Group",
  samples: {
    first: { name: "team", gid: 4000, system: false },
    second: { name: "team", gid: 3900, system: false },
    others: [
      { name: "quiet", system: false },
      { name: "loud", gid: 4100, system: false },
    ],
  },
  door: {
    async list() {
      const lines = root
        .lines("group")
        .map((line): [string, Json] => [line.split(":")[0] ?? "", line])
      return new Map(lines.filter(([name]) => !base.has(name)))
    },
    drift: async (name) =>
      root.edit("group", name, (fields) => replaced(fields, 2, String(Number(fields[2]) + 50))),
    async remove(name) {
      for (const file of ["group", "gshadow"]) root.edit(file, name, () => [])
    },
    async addForeign() {
      root.add("group", `foreign${++foreign}:x:${6000 + foreign}:root`)
      return `foreign${foreign}`
    },
  },
}

const job = (minute: string, command: string) => ({
  ...{ schedule: `${minute} 4 * * mon-fri`, user: "root", command },
})
const table = (name: string, environment: JsonObject, ...jobs: readonly JsonObject[]) => ({
  ...{ name, environment, jobs, permissions: "root 0644" },
})
const cronPath = (name: string) => join(root.path, "etc/cron.d", name)

const cronFiles: Given = {
  kind: "CronFile",
  samples: {
    first: table("backup", {}, job("5", "/usr/bin/true --all")),
    second: table("backup", { MAILTO: "ops" }, job("*/5", "echo 'a  b' % c"), job("0", "x")),
    others: [table("other", {}, job("1", "y")), table("third", {}, job("2", "z"))],
  },
  door: {
    async list() {
      const names = readdirSync(cronPath("")).filter((name) => !name.startsWith("."))
      return new Map(names.map((name) => [name, fileOf(cronPath(name))]))
    },
    drift: async (name) => appendFileSync(cronPath(name), "@daily root drifted\n"),
    remove: async (name) => rmSync(cronPath(name)),
    async addForeign() {
      writeFileSync(cronPath(`foreign${++foreign}`), "# foreign\n")
      return `foreign${foreign}`
    },
  },
}

const fileOf = (path: string): Json => ({
  text: readFileSync(path, "utf8"),
  mode: lstatSync(path).mode,
})

const { missing } = requireTool(`useradd: -R ${root.path} --no-create-home probe`)

const all = { User: users, "User (disable)": retired, Group: groups, CronFile: cronFiles }

for (const [name, given] of Object.entries(all)) {
  const isFile = given === cronFiles
  describe.skipIf(missing && !isFile)(`${name} obeys`, { timeout: 300_000 }, () => {
    for (const rule of conformanceOf(subjectOf(given), systemClock)) {
      if (!full && !isFile && !quick.has(rule.name)) continue
      if (rule.skipped === undefined) test(`${rule.name}: ${rule.rule}`, rule.run)
      else test.skip(`${rule.name}: ${rule.skipped}`, rule.run)
    }
  })
}
