// A kind whose provider is a program: questions become requests, answers become facts and results.
// Absent needs the program's own word with a proof; everything doubtful is unknown.

import { sha256 } from "../../base/hash.ts"
import { canonicalJson, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { DiagnosisClass, Failure } from "../../contract/diagnosis.ts"
import {
  absent,
  type ListedItem,
  type Listing,
  type Observation,
  present,
  unknown,
} from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider } from "../../contract/provider.ts"
import type { Closeable, ReadWorld } from "../../contract/world.ts"
import { defineKind, type KindTarget } from "../../provider/define-kind.ts"
import { lowerSchema } from "../../provider/lower-schema.ts"
import { secretPathsOf } from "../../provider/secret-paths.ts"
import type { ExecKind } from "./description.ts"
import type { ExecCall, ExecProgram } from "./exec-program.ts"
import type { ExecReply, ExecVerb } from "./protocol.ts"

type ExecTarget = KindTarget<JsonObject>

export function execKind(program: ExecProgram, described: ExecKind): KindProvider {
  const { group, version, kind, identity, list, columns = [] } = described
  const naming = identity.map((path) => path.split(".")[0] ?? path)
  const runner = new ExecRunner(program, described)
  const common = {
    ...{ group, version, kind, spec: described.schema },
    ...{ provider: `exec-${program.name}`, privileged: described.privileged },
    ...(described.plural === undefined ? {} : { plural: described.plural }),
    ...(described.description === undefined ? {} : { description: described.description }),
    ...(described.shortNames === undefined ? {} : { shortNames: described.shortNames }),
    ...(described.identityRule === undefined ? {} : { identityRule: described.identityRule }),
    replaceOn: [...new Set([...naming, ...(described.replaceOn ?? [])])],
    printerColumns: columns.map(({ name, field }) => {
      return { name, type: "string" as const, jsonPath: `.spec.${field}` }
    }),
    timeoutMs: runner.timeoutMs,
    identity: (spec: JsonObject) => valuesText(spec, identity),
    connection: (spec: JsonObject) => valuesText(spec, described.connection ?? []),
    ...(described.watch === true
      ? {
          watch: (target: ExecTarget, world: ReadWorld, changed: () => void) =>
            runner.watch(target, world, changed),
        }
      : {}),
    create: (target: ExecTarget, context: ActContext) => runner.act("create", target, context),
    update: (target: ExecTarget, context: ActContext) => runner.act("update", target, context),
    delete: (target: ExecTarget, context: ActContext) => runner.act("delete", target, context),
  }
  return list === undefined
    ? defineKind({ ...common, observe: (target, context) => runner.observe(target, context) })
    : defineKind({
        ...common,
        scopeOf: (spec) => valuesText(spec, list.scope),
        list: (scope, sample, context) => runner.list(scope, sample, context),
      })
}

/** One value as it is; several so that no two lists of values give the same text. */
function valuesText(spec: JsonObject, paths: readonly string[]): string {
  const values = paths.map((path) => valueAt(spec, path))
  const [only] = values
  if (values.length === 0) return ""
  return values.length === 1 && typeof only === "string" ? only : canonicalJson(values)
}

function valueAt(spec: JsonObject, path: string): Json {
  let value: Json | undefined = spec
  for (const name of path.split(".")) value = isObject(value) ? value[name] : undefined
  return value ?? null
}

/** What a look needs; an act has it as well. */
interface Looking {
  readonly world: Pick<ReadWorld, "commands">
  readonly signal: AbortSignal
}

class ExecRunner {
  readonly timeoutMs: { readonly observe: number; readonly act: number }
  readonly #program: ExecProgram
  readonly #kind: ExecKind
  /** Fields of the spec that are written down only as keyed hashes. */
  readonly #secretPaths: readonly string[]

  constructor(program: ExecProgram, kind: ExecKind) {
    this.#program = program
    this.#kind = kind
    this.#secretPaths = secretPathsOf(lowerSchema(kind.schema, kind.kind))
    const { observe = 10, act = 30 } = kind.timeoutSeconds ?? {}
    this.timeoutMs = { observe: observe * 1000, act: act * 1000 }
  }

  async observe(target: ExecTarget, { world, signal }: Looking): Promise<Observation> {
    const quiet = this.#quiet()
    if (quiet !== undefined) return unknown(quiet, false, { class: "Transient" })
    const call = this.#call("observe", target)
    const reply = await this.#program.look(world.commands, call, signal)
    return this.#seen(reply)
  }

  async list(scope: string, sample: ExecTarget, { world, signal }: Looking): Promise<Listing> {
    const quiet = this.#quiet()
    const nothing = (cause: string, failure?: Failure): Listing => ({
      ...{ items: [], complete: false, cause },
      ...(failure === undefined ? {} : { failure }),
    })
    if (quiet !== undefined) return nothing(quiet, { class: "Transient" })
    const call = { ...this.#call("list", sample), scope }
    const reply = await this.#program.look(world.commands, call, signal)
    if (reply.status !== "ok" || reply.items === undefined) {
      return nothing(reply.message ?? `it answered ${reply.status} without items`, failureOf(reply))
    }
    const items: ListedItem[] = []
    for (const item of reply.items) {
      const seen = this.#seen({ ...reply, ...item })
      if (seen.kind !== "present") return nothing(seen.kind === "absent" ? "" : seen.cause)
      const { kind: _, ...rest } = seen
      items.push({ ...rest, identity: valuesText(seen.value, this.#kind.identity) })
    }
    // Completeness is only what the program says in so many words.
    if (reply.complete === true) return { items, complete: true, token: reply.token ?? "complete" }
    return { items, complete: false, cause: reply.message ?? "the program says: not complete" }
  }

  watch(target: ExecTarget, { commands }: ReadWorld, changed: () => void): Closeable {
    const { kind, list, connection = [] } = this.#kind
    const scope = valuesText(target.desired, list?.scope ?? connection)
    const call = { ...this.#call("watch", target), scope }
    return this.#program.watch(commands, call, `${kind} ${scope}`, changed)
  }

  async act(
    verb: "create" | "update" | "delete",
    target: ExecTarget,
    context: ActContext,
  ): Promise<ActResult> {
    const { world, signal, token, idempotencyKey } = context
    const quiet = this.#quiet()
    if (quiet !== undefined) return failed(quiet, false, { class: "Transient" })
    const fresh = await this.#lookAgain(verb, target, context)
    if ("kind" in fresh) return fresh
    const given = { ...(token === undefined ? {} : { token }), ...fresh, idempotencyKey }
    const call = { ...this.#call(verb, target), ...given, timeoutMs: this.timeoutMs.act }
    return resultOf(verb, await this.#program.act(world.commands, call, signal))
  }

  /** A program without tokens can't refuse what is stale; so it is looked at right before. */
  async #lookAgain(
    verb: ExecVerb,
    target: ExecTarget,
    context: ActContext,
  ): Promise<ActResult | { readonly observed?: JsonObject }> {
    if (this.#kind.tokens !== false) return {}
    const seen = await this.#seenNow(verb, target, context)
    if (seen.kind === "unknown") return failed(seen.cause, seen.stuck, seen.failure)
    if (seen.kind === "absent") {
      if (verb === "delete") return { kind: "done" }
      return verb === "create" ? {} : raced("it is gone since it was observed")
    }
    if (verb === "create") return raced("it exists by now; it is not replaced")
    if (seen.token !== context.token) return raced("it changed since it was observed")
    return { observed: seen.value }
  }

  /** One target as it is now, also where they are only listed together. */
  async #seenNow(verb: ExecVerb, target: ExecTarget, context: Looking): Promise<Observation> {
    const { list } = this.#kind
    if (list === undefined) return this.observe(target, context)
    const scope = valuesText(target.desired, list.scope)
    const listing = await this.list(scope, target, context)
    const { items, complete, cause = "the list is not complete", failure } = listing
    const item = items.find(({ identity }) => identity === target.identity)
    // A part of a list tells that something is there, and is no ground to delete it.
    if (!complete && (item === undefined || verb === "delete")) {
      return unknown(cause, false, failure)
    }
    return item === undefined
      ? absent("the complete list does not have it")
      : { kind: "present", ...item }
  }

  #seen(reply: ExecReply): Observation {
    const { status, message, token } = reply
    if (status === "absent")
      return absent(message ?? `${this.#program.name} says that it is absent`)
    if (status !== "ok") {
      const stuck = status === "error" && reply.stuck === true
      return unknown(message ?? `the program answered ${status}`, stuck, failureOf(reply))
    }
    if (reply.observed === undefined) return unknown("the program answered ok without observed")
    const hidden = reply.sensitivePaths ?? []
    const value = withoutPaths(reply.observed, hidden)
    if (token === undefined && this.#kind.tokens !== false) {
      return unknown("the program answered without token; describe it with tokens: false", true, {
        class: "ProviderFault",
      })
    }
    const { externalId, outputs } = reply
    // It is written down, and nobody is to find a secret by trying values against it.
    const standIn = () => sha256(canonicalJson(withoutPaths(value, this.#secretPaths)))
    return {
      ...present(value, token ?? standIn()),
      ...(externalId === undefined ? {} : { externalId }),
      ...(outputs === undefined ? {} : { outputs: withoutPaths(outputs, hidden) }),
    }
  }

  #call(verb: ExecVerb, target: ExecTarget): ExecCall {
    const { uid, object, identity, externalId, desired, applied } = target
    return {
      ...{ verb, kind: this.#kind.kind, object, uid, identity, desired },
      ...(externalId === undefined ? {} : { externalId }),
      ...(applied === undefined ? {} : { applied }),
      timeoutMs: this.timeoutMs.observe,
    }
  }

  #quiet(): string | undefined {
    const seconds = Math.ceil(this.#program.quietMs / 1000)
    return seconds === 0 ? undefined : `the program asked to be left alone for a while`
  }
}

function resultOf(verb: "create" | "update" | "delete", reply: ExecReply): ActResult {
  const { status, message, externalId } = reply
  if (status === "ok" || (status === "absent" && verb === "delete")) {
    return {
      kind: "done",
      ...(externalId === undefined ? {} : { externalId }),
      ...(message === undefined ? {} : { note: message }),
    }
  }
  if (status === "absent") return raced(message ?? "it is gone since it was observed")
  if (status === "error") {
    return failed(message ?? "the program answered error", reply.stuck === true, failureOf(reply))
  }
  throw new Error(message ?? "the program does not know whether it happened")
}

const failed = (cause: string, stuck = false, failure?: Failure): ActResult => ({
  ...{ kind: "failed", cause },
  ...(stuck ? { stuck } : {}),
  ...(failure === undefined ? {} : { failure }),
})

const raced = (cause: string): ActResult => failed(cause, false, { class: "Conflict" })

function failureOf(reply: ExecReply): Failure | undefined {
  return reply.class === undefined ? undefined : { class: reply.class as DiagnosisClass }
}

function withoutPaths(value: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce((rest, path) => without(rest, path.split(".")), value)
}

function without(value: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: found, ...others } = value
  if (found === undefined) return value
  if (rest.length === 0) return others
  return isObject(found) ? { ...others, [name]: without(found, rest) } : value
}
