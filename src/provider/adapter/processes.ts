// The real processes. A program is started under a shim in a session of its own, from an argument
// vector, with an environment of its own; it goes on when the plane goes. Nothing here kills what
// it can't prove to be the process that was meant.

import { spawn } from "node:child_process"
import { basename } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { protects } from "../../base/protections.ts"
import type {
  PlaceFacts,
  ProcessesAct,
  ProcessIdentity,
  StartRequest,
} from "../../contract/processes.ts"
import { providerFault } from "../faults.ts"
import { PlaceWatches } from "./place-watches.ts"
import {
  allPids,
  bootId,
  environmentOf,
  groupMembers,
  isAlive,
  isEnded,
  processFacts,
} from "./proc-files.ts"
import { readLog } from "./process-logs.ts"
import {
  cancelRun,
  giveRunUp,
  logOf,
  makePlace,
  mustHaveData,
  placeVariable,
  readPlace,
  readRun,
  removePlace,
  tidyPlace,
  writeOrder,
} from "./process-place.ts"
import { Sightings } from "./process-session.ts"
import { baseEnvironment, findTool, wrappers } from "./process-wrappers.ts"
import { reap, runVariable, stragglersOf } from "./reap-processes.ts"
import { groupExists, sendTo } from "./send-signal.ts"
import { shimFile } from "./shim-file.ts"

const startLimitMs = 10_000
/** The shim writes how a program ended a moment after it did. */
const exitLimitMs = 500

export function nodeProcesses(): ProcessesAct {
  const strays = new Strays()
  const sightings = new Sightings()
  const watches = new PlaceWatches()
  return {
    bootId,
    facts: processFacts,
    look: (directory, known = false) => look(directory, known, strays, sightings),
    log: async (directory, request) => readLog(directory, request),
    watch: (directory, changed) => watches.watch(directory, changed),
    gone,
    async reserve(directory) {
      makePlace(directory)
      watches.attach(directory)
    },
    async start(request, signal) {
      const { directory, run } = request
      if (run === 1) {
        makePlace(directory)
        watches.attach(directory)
      }
      const identity = await start(request, signal)
      strays.note(directory, identity)
      return identity
    },
    cancel: async (directory, run) => cancelRun(directory, run),
    giveUp: async (directory, run) => giveRunUp(directory, run),
    signal: async (identity, name) => signalGroup(identity, name, sightings),
    reap: (directory, run) => reap(directory, run, sightings),
    async remove(directory) {
      const place = readPlace(directory)
      if (place?.alive === true) {
        throw providerFault("SPT-PROV-036", { directory, pid: place.identity?.pid ?? 0 })
      }
      if (place !== undefined) await shimGone(directory, place.run)
      removePlace(directory)
    },
  }
}

/** The shim writes down how its program ended, a moment later: not into a removed place. */
async function shimGone(directory: string, run: number): Promise<void> {
  const started = readRun(directory, run)
  if (typeof started !== "object") return
  for (let waited = 0; waited < exitLimitMs && isAlive(started.shim); waited += 10) await pause(10)
}

async function look(
  directory: string,
  known: boolean,
  strays: Strays,
  sightings: Sightings,
): Promise<PlaceFacts | undefined> {
  const place = await settledPlace(directory, known, strays)
  if (place?.identity === undefined) return place
  if (place.alive) sightings.isAlive(place.identity)
  const stragglers = stragglersOf(directory, place, sightings)
  return stragglers === 0 ? place : { ...place, stragglers }
}

async function settledPlace(directory: string, known: boolean, strays: Strays) {
  for (let waited = 0; ; waited += 10) {
    const place = readPlace(directory)
    if (place === undefined) {
      if (known) mustHaveData(directory)
      const pid = protects("lost-place-is-doubt") ? strays.of(directory) : undefined
      if (pid !== undefined) throw providerFault("SPT-PROV-035", { directory, pid })
    }
    const ended = place?.identity !== undefined && !place.alive && place.exit === undefined
    if (place === undefined || !ended || waited >= exitLimitMs) return place
    const started = readRun(directory, place.run)
    if (typeof started !== "object" || !isAlive(started.shim)) return place
    await pause(10)
  }
}

async function start(request: StartRequest, signal: AbortSignal): Promise<ProcessIdentity> {
  const { directory, run, argv, limits = {} } = request
  const wrapped = [...wrappers(request), ...argv]
  const env = {
    ...baseEnvironment(request.user),
    ...request.env,
    SETPOINT_ID: basename(directory),
    [runVariable]: String(run),
    [placeVariable]: directory,
  }
  if (!writeOrder(directory, run, request.note)) {
    throw providerFault("SPT-PROV-031", { run, directory })
  }
  const { openFiles, memoryBytes } = limits
  const kilobytes = memoryBytes === undefined ? "-" : String(Math.ceil(memoryBytes / 1024))
  const child = spawn(
    "/bin/sh",
    [
      ...[shimFile(directory), "watch", directory, String(run), bootId()],
      ...[findTool("mv"), findTool("ln"), findTool("setsid")],
      ...[logOf(directory, run), request.cwd ?? "/", String(openFiles ?? "-"), kilobytes],
      ...wrapped,
    ],
    { detached: true, stdio: "ignore", env, cwd: "/" },
  )
  const over: { why?: string } = {}
  child.on("error", (error) => {
    over.why = error.message
  })
  child.on("exit", (code) => {
    over.why = `its shim ended with ${code}`
  })
  child.unref()
  return begun(request, over, signal)
}

/** Until the shim has written down which process it became. */
async function begun(
  { directory, run, argv }: StartRequest,
  over: { readonly why?: string },
  signal: AbortSignal,
): Promise<ProcessIdentity> {
  let delay = 1
  for (let waited = 0; waited < startLimitMs; waited += delay) {
    const why = over.why
    const started = readRun(directory, run)
    if (started === "cancelled") throw providerFault("SPT-PROV-031", { run, directory })
    if (started !== undefined) {
      tidyPlace(directory, run)
      return started.identity
    }
    if (why !== undefined) {
      throw providerFault("SPT-PROV-033", { program: argv[0] ?? "", cause: why })
    }
    delay = Math.min(50, delay * 2)
    await pause(delay, undefined, { signal })
  }
  const cause = "its shim did not say which process it became"
  throw providerFault("SPT-PROV-033", { program: argv[0] ?? "", cause })
}

async function gone(
  identity: ProcessIdentity,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + timeoutMs
  for (let delay = 2; ; delay = Math.min(100, delay * 2)) {
    if (!isAlive(identity) && !groupLives(identity)) return true
    const left = until - performance.now()
    if (left <= 0) return false
    await pause(Math.min(delay, left), undefined, { signal })
  }
}

/** A pid can't be given away as long as it names a group, so what is in the group is its own. */
function groupLives({ pid, bootId: boot }: ProcessIdentity): boolean {
  if (boot !== bootId() || !groupExists(pid)) return false
  const leader = processFacts(pid)
  if (leader !== undefined && !isEnded(leader)) return false // Somebody else's by now.
  return groupMembers(pid).length > 0
}

function signalGroup(
  identity: ProcessIdentity,
  name: NodeJS.Signals,
  sightings: Sightings,
): boolean {
  if (!sightings.isAlive(identity) && protects("pid-reuse-is-noticed")) return false
  const { pid } = identity
  // Until it has its own session, a moment after it began, its group is the shim's.
  return processFacts(pid)?.group === pid ? sendTo(-pid, name) : sendTo(pid, name)
}

/** Processes whose place is gone. Looked for rarely: it means reading every environment. */
class Strays {
  #at = Number.NEGATIVE_INFINITY
  #known = new Map<string, ProcessIdentity>()
  /** Started here: known without looking. */
  readonly #started = new Map<string, ProcessIdentity>()

  note(directory: string, identity: ProcessIdentity): void {
    this.#started.set(directory, identity)
  }

  of(directory: string): number | undefined {
    const now = performance.now()
    if (now - this.#at > straysKeptMs) {
      this.#at = now
      this.#known = findPlaces()
    }
    const both = [this.#started.get(directory), this.#known.get(directory)]
    const found = both.find((one) => one !== undefined && isAlive(one))
    if (found === undefined) this.#started.delete(directory)
    return found?.pid
  }
}

const straysKeptMs = 10_000

function findPlaces(): Map<string, ProcessIdentity> {
  const found = new Map<string, ProcessIdentity>()
  for (const pid of allPids()) {
    const place = environmentOf(pid)?.get(placeVariable)
    const facts = place === undefined ? undefined : processFacts(pid)
    if (place !== undefined && facts !== undefined) found.set(place, facts)
  }
  return found
}
