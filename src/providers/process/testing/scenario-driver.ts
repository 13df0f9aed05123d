// Real processes in places of their own, for the scenario suite.

import { spawn } from "node:child_process"
import { mkdirSync, renameSync } from "node:fs"
import type { JsonObject } from "../../../base/json.ts"
import { nodeProcesses } from "../../../provider/adapter/processes.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { logFiles } from "../adapter/log-files.ts"
import { nodeProbeCalls } from "../adapter/probe-calls.ts"
import { PlacesByHand } from "../adapter/testing/places-by-hand.ts"
import { verdictFiles } from "../adapter/verdict-files.ts"
import { processKinds } from "../process-kinds.ts"

const backoff = { initialSeconds: 0, maxSeconds: 0, resetSeconds: 0 }
const care = "it says how the plane looks after the process and is no part of it"

export const processScenarios: ScenarioDriver = {
  kind: "Process",
  steady: {
    ...{ port: care, restart: care, backoff: care, stopSignal: care, stopGraceSeconds: care },
    ...{ probes: care, logs: care },
  },
  skip: {
    credentials: "the plane's own user is the only credential of its processes",
    "partial-answer": "each place is read by itself, whole or not at all",
  },
  async open({ directory: base, clock, random }) {
    const data = `${base}/data`
    mkdirSync(data)
    const processes = nodeProcesses()
    const hand = new PlacesByHand(`${data}/places`, processes)
    const strangers: ReturnType<typeof spawn>[] = []
    const ports = { clock, random, probes: nodeProbeCalls, verdicts: verdictFiles, logs: logFiles }
    return {
      kinds: () => processKinds({ directory: hand.root, ...ports }),
      world: worldWith({ processes }),
      spec: (n, version) => ({
        ...{ id: `sample-${n}`, command: ["sleep", `${1000 + n}`, `0.${version}`] },
        ...{ env: { KEY: `${n} ${version}` }, cwd: version === 0 ? "/" : "/usr", user: "65534" },
        ...{ secretEnv: [{ name: "TOKEN", value: `${version}` }], revision: `r${version}` },
        ...{ limits: { openFiles: 100 + version }, backoff, state: "Running" },
      }),
      async facts() {
        const theirs = strangers.map(({ pid, exitCode, signalCode }): [string, JsonObject] => {
          return [`stranger ${pid}`, { runs: exitCode === null && signalCode === null }]
        })
        return new Map([...hand.facts(), ...theirs])
      },
      drifts: {
        command: hand.with("command", ["sleep", "5000"]),
        env: hand.with("env", { KEY: "by hand" }),
        secretEnv: hand.with("secretEnv", [{ name: "TOKEN", value: "by hand" }]),
        cwd: hand.with("cwd", "/tmp"),
        user: hand.with("user", "65533"),
        limits: hand.with("limits", { openFiles: 99 }),
        revision: hand.with("revision", "by hand"),
        state: (spec) => hand.end(spec),
      },
      make: (spec) => hand.make(spec),
      remove: (spec) => hand.remove(spec),
      async foreign() {
        await hand.make({ id: "theirs", command: ["sleep", "1000", "0.0"] })
        const env = { SETPOINT_ID: "sample-0", SETPOINT_PLACE: `${base}/elsewhere/sample-0` }
        strangers.push(spawn("sleep", ["1000", "0.0"], { env: { ...process.env, ...env } }))
      },
      troubles: {
        async "server-stopped"() {
          renameSync(data, `${base}/unmounted`)
          return async () => renameSync(`${base}/unmounted`, data)
        },
      },
      async close() {
        for (const one of strangers) one.kill("SIGKILL")
        hand.close()
      },
    }
  },
}
