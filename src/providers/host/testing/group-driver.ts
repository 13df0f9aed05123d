// Real groups, made by the real tools, in a directory that stands for /; for the scenario suite.

import { renameSync } from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import type { ActWorld } from "../../../contract/world.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { hostKinds } from "../host-kinds.ts"
import { halfRead } from "./half-read.ts"
import { powerless } from "./powerless.ts"
import { PrivateRoot } from "./private-root.ts"

const nameOf = (spec: JsonObject) => String(spec.name)

export const groupScenarios = (
  handles: Pick<ActWorld, "files" | "commands">,
  targetsMax: number,
): ScenarioDriver => ({
  ...{ kind: "Group", targetsMax, deadlineMs: 300_000 },
  steady: { system: "it says which groups may be touched and is no part of the group" },
  async open() {
    const root = new PrivateRoot()
    const tools = powerless(handles.commands)
    const half = halfRead(handles.files, root)
    return {
      kinds: () => hostKinds({ root: root.path }),
      world: worldWith({ commands: tools.commands, files: half.files }),
      importScope: { accounts: "people" },
      spec: (n, version) => ({ name: `team${n}`, gid: 4000 + 2 * n + version, system: false }),
      async facts() {
        const lines = root.lines("group").map((line) => line.split(":"))
        const own = lines.filter(([name = ""]) => name.startsWith("team"))
        return new Map(
          own.map(([name = "", , gid, members = ""]) => [
            name,
            { name, gid: Number(gid), members },
          ]),
        )
      },
      drifts: {
        gid: (spec) => root.tool("groupmod", "-g", `${9000 + Number(spec.gid)}`, nameOf(spec)),
      },
      make: (spec) => root.tool("groupadd", "-g", String(spec.gid), nameOf(spec)),
      remove: (spec) => root.tool("groupdel", nameOf(spec)),
      foreign: () => root.tool("groupadd", "-g", "3900", "team"),
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
