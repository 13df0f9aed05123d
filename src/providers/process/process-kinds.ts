// The kind Process: one program of this host, kept running. Its place, a directory with its number
// of starts, is what makes two starts of the same impossible and lets a new plane find it again.

import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import { absent } from "../../contract/observation.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { defineKind } from "../../provider/define-kind.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import { Caretaker, type LogKeeper, type ProbeCalls, type VerdictKeeper } from "./caretaker.ts"
import { observationOf } from "./facts.ts"
import { createProcess, deleteProcess, updateProcess } from "./process-acts.ts"
import { ProcessHost } from "./process-host.ts"
import { processSpec } from "./process-spec.ts"

export const processGroup = "process.setpoint.dev"

export interface ProcessKindOptions {
  /** Absolute; a directory for each process is made in it. */
  readonly directory: string
  readonly clock: Clock
  readonly random: Random
  readonly probes: ProbeCalls
  readonly verdicts: VerdictKeeper
  readonly logs: LogKeeper
}

/** The longest grace, the time to kill it and what it left behind, and the time to start. */
const actLimitMs = 340_000

export function processKinds(options: ProcessKindOptions): readonly KindProvider[] {
  const { directory, clock, random, probes: calls, verdicts, logs } = options
  const caretaker = new Caretaker({ clock, random, calls, verdicts, logs })
  const host = new ProcessHost(directory, clock, caretaker)
  return [processKind(host)]
}

function processKind(host: ProcessHost): KindProvider {
  return defineKind({
    ...{ group: processGroup, version: "v1", kind: "Process", plural: "processes" },
    ...{ provider: "process", fungible: true, uidField: "id", replaceOn: ["id"] },
    privileged: true,
    restless: ["state"],
    description: "A program of this host that is kept running, with probes, limits and logs.",
    shortNames: ["proc"],
    spec: processSpec,
    timeoutMs: { act: actLimitMs },
    printerColumns: [
      { name: "Phase", type: "string", jsonPath: ".status.outputs.phase" },
      { name: "Restarts", type: "integer", jsonPath: ".status.outputs.restarts" },
      { name: "Pid", type: "integer", jsonPath: ".status.outputs.pid" },
    ],
    identity: ({ id }) => id ?? "",
    observe: (target, { world: { processes }, signal }) =>
      untilAborted(signal, async () => {
        const seen = await host.see(target, processes)
        if (seen !== undefined) return observationOf(seen, target.desired)
        return absent(`there is no place ${host.directoryOf(target.identity)}`)
      }),
    create: (target, context) =>
      untilAborted(context.signal, () => createProcess(target, context, host)),
    update: (target, context) =>
      untilAborted(context.signal, () => updateProcess(target, context, host)),
    delete: (target, context) =>
      untilAborted(context.signal, () => deleteProcess(target, context, host)),
    /** What was being stopped when the plane died may have left something. */
    async cleanUp(id, _uid, { processes }) {
      const place = await processes.look(host.directoryOf(id))
      if (place?.identity !== undefined && !place.alive) {
        await processes.reap(host.directoryOf(id), place.run)
      }
    },
    log: (id, request, { processes }) => processes.log(host.directoryOf(id), request),
    watch(target, { processes }, changed) {
      const directory = host.directoryOf(target.identity)
      const watched = processes.watch(directory, changed)
      const care = host.caretaker.watch(directory, target.desired, processes, changed)
      return {
        close() {
          watched.close()
          care.close()
        },
      }
    },
  })
}
