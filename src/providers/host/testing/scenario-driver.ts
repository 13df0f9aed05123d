// Real accounts, made by the real tools, in a directory that stands for /; for the scenario suite.

import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import type { ActWorld } from "../../../contract/world.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { hostKinds } from "../host-kinds.ts"
import { halfRead } from "./half-read.ts"
import { powerless } from "./powerless.ts"
import { PrivateRoot } from "./private-root.ts"
import { sampleHash, sampleUser } from "./sample-users.ts"

const nameOf = (spec: JsonObject) => String(spec.name)
const another = "another one is another target"

export const hostScenarios = (
  handles: Pick<ActWorld, "files" | "commands">,
  targetsMax: number,
): ScenarioDriver => ({
  ...{ kind: "User", targetsMax, deadlineMs: 300_000 },
  steady: { name: another, createHome: another, system: another, onDelete: another },
  async open() {
    const root = new PrivateRoot()
    const mod = (option: string, value: string) => (spec: JsonObject) =>
      root.tool("usermod", option, value, nameOf(spec))
    const setKeys = (spec: JsonObject, keys: unknown) =>
      writeFileSync(`${root.path}/home/${nameOf(spec)}/.ssh/authorized_keys`, `${keys}\n`)
    const tools = powerless(handles.commands)
    const half = halfRead(handles.files, root)
    return {
      kinds: () => hostKinds({ root: root.path }),
      world: worldWith({ commands: tools.commands, files: half.files }),
      importScope: { accounts: "people" },
      spec: sampleUser,
      async facts() {
        const names = root.lines("passwd").map((line) => line.split(":")[0] ?? "")
        const own = names.filter((name) => name.startsWith("user"))
        return new Map(own.map((name) => [name, root.user(name)]))
      },
      drifts: {
        ...{ uid: mod("-u", "9000"), group: mod("-g", "daemon"), groups: mod("-G", "") },
        ...{ comment: mod("-c", "by hand"), shell: mod("-s", "/bin/false") },
        ...{ home: mod("-d", "/none"), passwordHash: mod("-p", sampleHash("hand")) },
        enabled: mod("-e", "1970-01-02"),
        authorizedKeys: (spec) => setKeys(spec, "ssh-rsa by@hand"),
      },
      make(spec) {
        const { uid, group, groups, comment, shell, home, passwordHash = "!" } = spec
        const options = { u: uid, g: group, G: groups, c: comment, s: shell, d: home }
        const all = Object.entries({ ...options, p: passwordHash })
        const args = all.flatMap(([name, value]) => [`-${name}`, String(value)])
        root.tool("useradd", spec.createHome === true ? "-m" : "-M", ...args, nameOf(spec))
        if (spec.authorizedKeys === undefined) return
        mkdirSync(`${root.path}/home/${nameOf(spec)}/.ssh`)
        setKeys(spec, spec.authorizedKeys)
      },
      remove: (spec) => root.tool("userdel", nameOf(spec)),
      foreign: () => root.tool("useradd", "-M", "-c", "nobody's", "user"),
      troubles: {
        credentials: tools.trouble,
        async "server-stopped"() {
          renameSync(`${root.path}/etc`, `${root.path}/away`)
          return async () => renameSync(`${root.path}/away`, `${root.path}/etc`)
        },
        "partial-answer": half.trouble,
      },
      close: async () => root.remove(),
    }
  },
})
