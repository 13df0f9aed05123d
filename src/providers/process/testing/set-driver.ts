// Sets of real processes, for the scenario suite: a sample is everything that runs in its name.

import { spawn } from "node:child_process"
import { mkdirSync, renameSync } from "node:fs"
import { basename } from "node:path"
import type { JsonObject } from "../../../base/json.ts"
import { nodeProcesses } from "../../../provider/adapter/processes.ts"
import { worldWith } from "../../../provider/missing-handles.ts"
import type { ScenarioDriver } from "../../../provider/scenarios/driver.ts"
import { logFiles } from "../adapter/log-files.ts"
import { nodeProbeCalls } from "../adapter/probe-calls.ts"
import { PlacesByHand } from "../adapter/testing/places-by-hand.ts"
import { programsBelow } from "../adapter/testing/process-rig.ts"
import { verdictFiles } from "../adapter/verdict-files.ts"
import { processKinds } from "../process-kinds.ts"
import { processSet } from "../set/process-set.ts"
import { factsOf, nameOf, sampleSet, setsIn, templateOf } from "./sample-sets.ts"

const care = "it says how replicas are replaced and looked after, and is no part of them"
export const setScenarios: ScenarioDriver = {
  ...{ kind: "ProcessSet", targetsMax: 300, madeOf: { kind: "Process", identity: nameOf } },
  steady: { ports: care, restart: care, strategy: care, drainSeconds: care },
  skip: {
    adopt: "replicas have names that only their set knows: nobody else can have made one",
    stale: "a set acts on nothing; its replicas are Processes, which have this scenario",
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
    const ids = (spec: JsonObject) =>
      (setsIn(programsBelow(hand.root)).get(nameOf(spec)) ?? []).map(({ place }) => ({
        id: basename(place),
      }))
    return {
      kinds: () => processKinds({ directory: hand.root, ...ports }),
      composites: () => [processSet],
      world: worldWith({ processes }),
      spec: sampleSet,
      async facts() {
        const own = [...setsIn(programsBelow(hand.root))].map(factsOf)
        const theirs = strangers.map(({ pid, exitCode, signalCode }): [string, JsonObject] => {
          return [`stranger ${pid}`, { runs: exitCode === null && signalCode === null }]
        })
        return new Map([...own, ...theirs])
      },
      drifts: {
        replicas: async (spec) => hand.end(ids(spec)[0] ?? {}),
        template: async (spec) => {
          await hand.make({ ...ids(spec)[0], ...templateOf(["sleep", "5000"], nameOf(spec)) })
        },
      },
      make: () => {},
      async remove(spec) {
        for (const one of ids(spec)) await hand.remove(one)
      },
      async foreign() {
        await hand.make({ id: "theirs", command: ["sleep", "1000", "0.0"] })
        strangers.push(spawn("sleep", ["1000"], { env: { ...process.env, SAMPLE: "set-0" } }))
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
