// The place of a process: a directory with `order.N` (what was wanted, by the plane), `run.N`
// (which process it became), `end.N` and `exit.N` (when and how it ended, all by the shim),
// `hung.N` (it was stopped since a probe gave it up, by the plane), N counting up, and `logs/`.
// Each file but `end.N` appears whole, and `order.N` and `run.N` only once, whoever is first.

import { randomBytes } from "node:crypto"
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { PlaceFacts, ProcessIdentity } from "../../contract/processes.ts"
import { providerFault } from "../faults.ts"
import { bootId, environmentOf, isAlive } from "./proc-files.ts"
import { ticksOf } from "./process-session.ts"

export interface Run {
  readonly identity: ProcessIdentity
  readonly shim: ProcessIdentity
}

const cancelled = "cancelled"

/** Every process that is started in a place carries this, and so do its children. */
export const placeVariable = "SETPOINT_PLACE"

export const logsOf = (directory: string) => join(directory, "logs")
export const logOf = (directory: string, run: number) => join(logsOf(directory), `${run}.log`)

/** Numbers of the files that are called NAME.N, ascending. */
export function numbered(names: readonly string[], name: string): number[] {
  const found = names.flatMap((one) => {
    const number = one.startsWith(`${name}.`) ? one.slice(name.length + 1) : ""
    return /^[1-9]\d{0,8}$/.test(number) ? [Number(number)] : []
  })
  return found.sort((left, right) => left - right)
}

export function namesIn(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (Object(error).code === "ENOENT") return undefined
    throw callFault("list", directory, error)
  }
}

/** A data directory that is gone, unmounted perhaps, does not prove that nothing runs. */
export function mustHaveData(directory: string): void {
  const data = dirname(dirname(directory))
  attempt("find", data, () => statSync(data))
}

export function readPlace(directory: string): PlaceFacts | undefined {
  const names = namesIn(directory)
  if (names === undefined) return undefined
  const run = numbered(names, "order").at(-1) ?? 0
  if (run === 0) return { run, note: {}, alive: false }
  const { note } = readOrder(directory, run)
  const started = readRun(directory, run)
  if (started === undefined) return { run, note, alive: false }
  if (started === "cancelled") return { run, note, alive: false, cancelled: true }
  const { identity, shim } = started
  const startedAt = timeOf(join(directory, `run.${run}`))
  const alive = isAlive(identity)
  const exit = alive ? undefined : readExit(directory, run)
  // The shim's is what was given; programs may write over theirs.
  const env = alive ? environmentOf(isAlive(shim) ? shim.pid : identity.pid) : undefined
  const place = env?.get(placeVariable)
  if (place !== undefined && isElsewhere(place, directory, run)) {
    throw providerFault("SPT-PROV-038", { pid: identity.pid, directory, place })
  }
  return {
    ...{ run, note, identity, alive },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(exit === undefined ? {} : { exit }),
    ...(names.includes(`hung.${run}`) ? { givenUp: true as const } : {}),
    ...(env === undefined || place === undefined ? {} : { env }),
  }
}

/** This place is a copy of the one where it was started; a place that was moved is no copy. */
function isElsewhere(place: string, directory: string, run: number): boolean {
  if (place === directory) return false
  const [here, there] = [directory, place].map((one) => {
    return statSync(join(one, `run.${run}`), { throwIfNoEntry: false, bigint: true })
  })
  return there !== undefined && (there.ino !== here?.ino || there.dev !== here?.dev)
}

/**
 * What a power failure left of the file says nothing; on another boot than that of the order
 * nothing of it runs, whatever it was.
 */
export function readRun(directory: string, run: number): Run | "cancelled" | undefined {
  const text = readText(join(directory, `run.${run}`))
  if (text === undefined) return undefined
  if (text.startsWith(cancelled)) return "cancelled"
  const [pid, startTime, began, shim, shimStart] = text.trimEnd().split(" ")
  const whole = shimStart !== undefined && startTime !== undefined && began !== undefined
  if (whole) {
    return {
      identity: { pid: Number(pid), startTime, bootId: began },
      shim: { pid: Number(shim), startTime: shimStart, bootId: began },
    }
  }
  const { boot } = readOrder(directory, run)
  if (boot === bootId()) {
    throw providerFault("SPT-PROV-032", { file: join(directory, `run.${run}`) })
  }
  const lost = { pid: 0, startTime: "", bootId: boot }
  return { identity: lost, shim: lost }
}

/** False when a run of this number exists: it began, or will. */
export function cancelRun(directory: string, run: number): boolean {
  if (writeOnce(directory, join(directory, `run.${run}`), cancelled)) return true
  return readRun(directory, run) === "cancelled"
}

export function giveRunUp(directory: string, run: number): void {
  writeOnce(directory, join(directory, `hung.${run}`), "hung")
}

/** All that began and are known here. */
export function runsIn(directory: string): (Run & { readonly run: number })[] {
  return numbered(namesIn(directory) ?? [], "run").flatMap((run) => {
    const found = readRun(directory, run)
    return typeof found === "object" ? [{ ...found, run }] : []
  })
}

/** False when there is an order of this number already. */
export function writeOrder(directory: string, run: number, note: JsonObject): boolean {
  makePlace(directory)
  const order = JSON.stringify({ boot: bootId(), note })
  return writeOnce(directory, join(directory, `order.${run}`), order)
}

export function makePlace(directory: string): void {
  for (const path of [dirname(directory), directory, logsOf(directory)]) {
    attempt("make", path, () => {
      if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
    })
  }
}

/** Everything of runs that are over, but for the last one, and what was written half. */
export function tidyPlace(directory: string, run: number): void {
  for (const name of namesIn(directory) ?? []) {
    const [, half, kind, number] = /^(\.?)([a-z]+)\.(\d+)/.exec(name) ?? []
    const old = half === "" && Number(number) < run - 1
    // The shim of this run may be writing down its end right now.
    const left =
      half === "." && (Number(number) < run || (kind === "run" && Number(number) === run))
    if (old || left) rmSync(join(directory, name), { force: true })
  }
}

function writeOnce(directory: string, path: string, text: string): boolean {
  const temporary = join(directory, `.new.${randomBytes(8).toString("hex")}`)
  return attempt("write", path, () => {
    writeFileSync(temporary, `${text}\n`, { flag: "wx", mode: 0o600, flush: true })
    try {
      linkSync(temporary, path)
      return true
    } catch (error) {
      if (Object(error).code === "EEXIST") return false
      throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  })
}

function readOrder(directory: string, run: number): { note: JsonObject; boot: string } {
  const path = join(directory, `order.${run}`)
  const found = parse(readText(path) ?? "", path)
  if (isObject(found) && isObject(found.note) && typeof found.boot === "string") {
    return { note: found.note, boot: found.boot }
  }
  throw providerFault("SPT-PROV-032", { file: path })
}

function parse(text: string, file: string): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw providerFault("SPT-PROV-032", { file }, error)
  }
}

function readExit(directory: string, run: number): PlaceFacts["exit"] {
  const path = join(directory, `exit.${run}`)
  const text = readText(path)
  const at = timeOf(path)
  if (text === undefined || at === undefined || !/^\d{1,3}\n$/.test(text)) return undefined
  return { code: Number(text), at }
}

/** When the process of a run ended, in ticks since boot; undefined when nobody wrote it down. */
export function readEnd(directory: string, run: number): number | undefined {
  return ticksOf(readText(join(directory, `end.${run}`)) ?? "")
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (Object(error).code === "ENOENT") return undefined
    throw callFault("read", path, error)
  }
}

function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

export function removePlace(directory: string): void {
  if (!existsSync(directory)) return
  // A file that comes while they go must not leave half a place, which would be doubted for ever.
  const again = { maxRetries: 10, retryDelay: 10 }
  attempt("remove", directory, () => rmSync(directory, { recursive: true, ...again }))
}

function attempt<T>(call: string, path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw callFault(call, path, error)
  }
}

export function callFault(call: string, path: string, error: unknown) {
  const errno = String(Object(error).code ?? "EUNKNOWN")
  return providerFault("SPT-PROV-030", { call: `${call} ${path}`, errno }, error)
}
