// Lines of a real file behind the bash program of examples/22-exec, which is started anew for every
// question, for the scenario suite. Edits by hand wait for its lock, as another user of it would.

import { spawnSync } from "node:child_process"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { JsonObject } from "../../../base/json.ts"
import { nodeCommands } from "../../../provider/adapter/commands.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { loadPrograms } from "../load-programs.ts"

const path = fileURLToPath(new URL("../../../../examples/22-exec/setting", import.meta.url))

export const oneShotScenarios = (targetsMax: number): ScenarioDriver => ({
  ...{ kind: "Setting", targetsMax, deadlineMs: 300_000 },
  skip: {
    credentials: "a file has no credentials but the plane's own user",
    "partial-answer": "the file is read by one grep, to its end or not at all",
  },
  async open({ directory, clock }) {
    const file = `${directory}/app.conf`
    writeFileSync(file, "")
    const commands = nodeCommands()
    const kinds = await loadPrograms([{ name: "setting", path }], commands, clock)
    const edit = (script: string, ...args: readonly string[]) => {
      const words = [directory, "sed", "-i", "-e", script, ...args, file]
      const { status, stderr } = spawnSync("flock", words)
      if (status !== 0) throw new Error(`sed: ${stderr}`)
    }
    const append = (...lines: readonly string[]) => {
      const script = 'file=$1; shift; printf "%s\\n" "$@" >>"$file"'
      const words = [directory, "sh", "-c", script, "sh", file, ...lines]
      if (spawnSync("flock", words).status !== 0) throw new Error("nothing was appended")
    }
    return {
      kinds: () => kinds,
      world: worldWith({ commands }),
      spec: (n, version) => ({ file, name: `key${n}`, value: `value ${n} 'in' v${version} = "x"` }),
      async facts() {
        const lines = readFileSync(file, "utf8").split("\n")
        return new Map(
          lines.flatMap((line): [string, JsonObject][] => {
            const [, name, value = ""] = /^([A-Za-z]\w*)=(.*)$/.exec(line) ?? []
            if (name === undefined) return line === "" ? [] : [[line, {}]]
            return [[JSON.stringify([file, name]), { file, name, value }]]
          }),
        )
      },
      drifts: { value: ({ name }) => edit(`s/^${String(name)}=.*/${String(name)}=by hand/`) },
      make({ name, value }) {
        edit(`/^${String(name)}=/d`)
        append(`${String(name)}=${String(value)}`)
      },
      remove: ({ name }) => edit(`/^${String(name)}=/d`),
      foreign: () => append("# a comment, nobody's", "key=nobody's", "KEY0=nobody's"),
      troubles: {
        async "server-stopped"() {
          renameSync(file, `${file}.away`)
          return async () => renameSync(`${file}.away`, file)
        },
      },
      close: async () => commands.close(),
    }
  },
})
