// What is ordered when a process is started, and the note that is left in its place: what others,
// or this plane after a restart, need to know of it again. Secret values are never in the note.

import { equalJson, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { PlaceFacts, ProcessLimits, StartRequest } from "../../contract/processes.ts"
import type { ProcessSpec } from "./process-spec.ts"

export interface OrderNote {
  /** UID of the object that it was started for. */
  readonly owner: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly secretNames: readonly string[]
  readonly cwd: string
  readonly user?: string
  readonly limits: ProcessLimits
  readonly revision?: string
  /** Short runs in a row before this one: what the backoff grows with. */
  readonly failures: number
  /** Starts after it ended by itself, of this same order. */
  readonly restarts: number
}

export interface OrderCounts {
  readonly failures: number
  readonly restarts: number
}

export function noteOf(spec: ProcessSpec, owner: string, counts: OrderCounts): JsonObject {
  const { command, env, cwd, user, limits, revision, secretEnv = [] } = spec
  return {
    ...{ owner, command: [...command], env: { ...env }, cwd, limits: { ...limits } },
    secretNames: secretEnv.map(({ name }) => name),
    ...(user === undefined ? {} : { user }),
    ...(revision === undefined ? {} : { revision }),
    ...counts,
  }
}

/** What a note says; what is not there, or is something else, is as if it had been empty. */
export function readNote(note: JsonObject): OrderNote {
  const { owner, command, env, secretNames, cwd, user, limits, revision } = note
  return {
    owner: typeof owner === "string" ? owner : "",
    command: textsOf(command),
    env: Object.fromEntries(
      Object.entries(isObject(env) ? env : {}).map(([name, value]) => [name, String(value)]),
    ),
    secretNames: textsOf(secretNames),
    cwd: typeof cwd === "string" ? cwd : "/",
    limits: limitsOf(limits),
    ...(typeof user === "string" ? { user } : {}),
    ...(typeof revision === "string" ? { revision } : {}),
    failures: countOf(note.failures),
    restarts: countOf(note.restarts),
  }
}

export function startRequest(
  spec: ProcessSpec,
  place: { readonly directory: string; readonly run: number },
  note: JsonObject,
): StartRequest {
  const { command, cwd, user, limits } = spec
  return {
    ...place,
    note,
    argv: command,
    env: environmentOf(spec),
    cwd,
    ...(user === undefined ? {} : { user }),
    limits: limitsOf({ ...limits }),
  }
}

/** The declared environment, in the clear. */
export function environmentOf({ env, secretEnv = [] }: ProcessSpec): Record<string, string> {
  const secrets = secretEnv.map(({ name, value }) => [name, value] as const)
  return { ...env, ...Object.fromEntries(secrets) }
}

/** The fields that make it this process, as they really are. */
export function orderFacts(place: PlaceFacts, spec: ProcessSpec): JsonObject {
  const { command, env, cwd, user, limits, revision, secretNames } = readNote(place.note)
  const wanted = spec.secretEnv ?? []
  const hiding = new Set([...secretNames, ...wanted.map(({ name }) => name)])
  const all = [...Object.keys(env), ...Object.keys(spec.env)]
  // What was given as a secret is read as nothing else, also where it is declared openly now.
  const names = new Set(all.filter((name) => !hiding.has(name)))
  // What an ended process had can't be read any more; then what was ordered has to do.
  const live = place.env
  const plain = live === undefined ? env : { ...pick(live, names), ...overruled(spec) }
  const secrets = live === undefined ? wanted.filter(({ name }) => secretNames.includes(name)) : []
  for (const [name, value] of Object.entries(live === undefined ? {} : pick(live, hiding))) {
    secrets.push({ name, value })
  }
  const hidden = secrets.length > 0 || spec.secretEnv !== undefined
  return {
    ...{ command: [...command], env: plain, cwd, limits: { ...limits } },
    ...(hidden ? { secretEnv: byName(secrets) } : {}),
    ...(user === undefined ? {} : { user }),
    ...(revision === undefined ? {} : { revision }),
  }
}

/** Declared openly, and not to be seen, since a secret of that name takes its place. */
function overruled({ env, secretEnv = [] }: ProcessSpec): Record<string, string> {
  const declared = new Map(Object.entries(env))
  return pick(declared, new Set(secretEnv.map(({ name }) => name)))
}

/** What runs is what would be started. */
export function isAsOrdered(place: PlaceFacts, spec: ProcessSpec): boolean {
  const { command, env, cwd, user, limits, revision, secretEnv } = spec
  const wanted = {
    ...{ command, env, cwd, limits: { ...limits } },
    ...(secretEnv === undefined ? {} : { secretEnv: byName(secretEnv) }),
    ...(user === undefined ? {} : { user }),
    ...(revision === undefined ? {} : { revision }),
  }
  return equalJson(orderFacts(place, spec), wanted)
}

function byName(secrets: NonNullable<ProcessSpec["secretEnv"]>): JsonObject[] {
  const sorted = [...secrets].sort((left, right) => (left.name < right.name ? -1 : 1))
  return sorted.map((one) => ({ ...one }))
}

function pick(
  from: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = from.get(name)
    if (value !== undefined) found[name] = value
  }
  return found
}

function textsOf(value: Json | undefined): readonly string[] {
  return isArray(value) ? value.map(String) : []
}

function countOf(value: Json | undefined): number {
  return typeof value === "number" && value >= 0 ? Math.floor(value) : 0
}

function limitsOf(value: Json | undefined): ProcessLimits {
  const given = isObject(value) ? value : {}
  const number = (name: keyof ProcessLimits) => {
    const found = given[name]
    return typeof found === "number" ? { [name]: found } : {}
  }
  return { ...number("openFiles"), ...number("memoryBytes"), ...number("nice") }
}
