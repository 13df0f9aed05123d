// Real processes to be examined on: a back door that another plane could be, and a handle that
// fails on demand.

import type { Json, JsonObject } from "../../../../base/json.ts"
import type { ProcessesAct } from "../../../../contract/processes.ts"
import type {
  ConformanceSetup,
  FaultMode,
  Outside,
} from "../../../../provider/conformance/subject.ts"
import { providerFault } from "../../../../provider/faults.ts"
import { worldWith } from "../../../../provider/missing-handles.ts"
import { PlacesByHand } from "./places-by-hand.ts"
import type { ProcessRig } from "./process-rig.ts"

export const processFaultModes: readonly FaultMode[] = [
  ...(["timeout", "lostReply", "unauthorized", "serverError"] as const),
]

const changing = new Set(["reserve", "start", "cancel", "signal", "reap", "remove"])
const immediate = new Set(["bootId", "facts"])

interface FaultyProcesses {
  readonly processes: ProcessesAct
  failNext(mode: FaultMode): void
  mutations(): number
}

function faultyProcesses(real: ProcessesAct): FaultyProcesses {
  let armed: FaultMode | undefined
  let mutations = 0
  const processes = new Proxy(real, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function" || immediate.has(String(name))) return method
      return (...args: unknown[]): unknown => {
        const answer = (): unknown => Reflect.apply(method, target, args)
        const mode = armed
        armed = undefined
        const call = String(name)
        if (changing.has(call)) mutations++
        if (mode === undefined) return answer()
        const fail = (errno: string) =>
          Promise.reject(providerFault("SPT-PROV-030", { call, errno }))
        if (mode === "timeout") return untilAborted(args)
        if (mode === "unauthorized") return fail("EACCES")
        if (mode === "lostReply") return Promise.resolve(answer()).then(() => fail("EIO"))
        return fail("EIO")
      }
    },
  })
  const failNext = (mode: FaultMode) => {
    armed = mode
  }
  return { processes, failNext, mutations: () => mutations }
}

/** Calls that are given a signal end with it; the others hang for ever. */
function untilAborted(args: readonly unknown[]): Promise<never> {
  const signal = args.find((one) => one instanceof AbortSignal)
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}

export async function processSetup(rig: ProcessRig): Promise<ConformanceSetup> {
  const faulty = faultyProcesses(rig.world.processes)
  return {
    world: worldWith({ processes: faulty.processes }),
    samples: {
      first: sample(rig, "first", "1001"),
      second: sample(rig, "first", "1002"),
      others: [sample(rig, "other", "1003"), sample(rig, "third", "1004")],
    },
    outside: outsideOf(rig, faulty),
    close: async () => rig.close(),
  }
}

function sample(rig: ProcessRig, id: string, argument: string): JsonObject {
  return rig.spec({ id, command: ["sleep", argument], env: { KEY: `${argument} ü\n` } })
}

function outsideOf(rig: ProcessRig, faulty: FaultyProcesses): Outside {
  const hand = new PlacesByHand(rig.root, rig.world.processes)
  let foreign = 0
  return {
    async list() {
      const all = rig.running().map(({ place, pid, argv, run }): [string, Json] => {
        return [place.slice(rig.root.length + 1), { pid, argv: [...argv], run }]
      })
      return new Map(all)
    },
    drift: (id) => hand.make({ id, command: ["sleep", "2001"] }),
    remove: (id) => hand.remove({ id }),
    async addForeign() {
      const id = `foreign-${++foreign}`
      await hand.make({ id, command: ["sleep", "3001"] })
      return id
    },
    failNext: faulty.failNext,
    mutations: faulty.mutations,
  }
}
