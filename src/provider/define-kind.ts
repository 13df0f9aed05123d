// Makes a kind from what an author writes: the definition that the API serves and the runtime form
// that the engine calls. It checks and translates at definition time only; it never acts, and it
// never decides what to do about a difference.

import type { z } from "zod"
import type { JsonObject } from "../base/json.ts"
import type { Importer } from "../contract/importer.ts"
import type { Listing, Observation } from "../contract/observation.ts"
import type { LogPage, LogRequest } from "../contract/processes.ts"
import type {
  ActContext,
  ActResult,
  IdentityRule,
  KindProvider,
  ObserveContext,
  Target,
} from "../contract/provider.ts"
import type { ActWorld, Closeable, ReadWorld } from "../contract/world.ts"
import { definitionOf, type PrinterColumn } from "./definition.ts"
import { providerFault } from "./faults.ts"
import { lowerSchema } from "./lower-schema.ts"
import { resolveReferences } from "./ref.ts"
import { secretPathsOf } from "./secret-paths.ts"
import { specSchemaOf } from "./spec-schema.ts"

/** What the author's functions get as spec: zod's type, or plain JSON for a plain schema. */
export type SpecOf<S> = S extends z.ZodObject ? z.output<S> : JsonObject

export interface KindTarget<Spec> extends Omit<Target, "desired"> {
  readonly desired: Spec
}

/** A create, update or delete of a kind whose spec has this schema. */
export type KindAct<S> = (target: KindTarget<SpecOf<S>>, context: ActContext) => Promise<ActResult>

export interface BatchItem<Spec> {
  readonly target: KindTarget<Spec>
  readonly context: ActContext
}

export interface KindBase<S> {
  readonly group: string
  readonly version: string
  /** CamelCase, singular. */
  readonly kind: string
  /** Lower case; made from the kind by default. */
  readonly plural?: string
  /** First part of a target's identity; kinds over the same real things share one. */
  readonly provider?: string
  readonly scope?: "Namespaced" | "Cluster"
  readonly shortNames?: readonly string[]
  readonly description?: string
  /** z.strictObject({...}), or a plain JSON Schema of type object. */
  readonly spec: S
  /** Which real thing this is; made from the spec alone, and never from anything that changes. */
  identity(spec: SpecOf<S>): string
  readonly identityRule?: IdentityRule
  connection?(spec: SpecOf<S>): string
  readonly replaceOn?: readonly string[]
  readonly fungible?: boolean
  /** This field gets the object's UID unless the spec gives it: for targets without a name. */
  readonly uidField?: string
  /** Fields that drift again and again by nature: you pace their corrections by what you report. */
  readonly restless?: readonly string[]
  /** What was written is seen by the next read; without a connection that is taken for granted. */
  readonly readsOwnWrites?: boolean
  readonly confirmDrift?: boolean
  /** Whoever may write such objects holds the host: not by default for agents. */
  readonly privileged?: boolean
  readonly timeoutMs?: { readonly observe?: number; readonly act?: number }
  readonly printerColumns?: readonly PrinterColumn[]
  fingerprints?(identities: readonly string[], world: ReadWorld): readonly (string | undefined)[]
  normalize?(value: JsonObject): JsonObject
  create(target: KindTarget<SpecOf<S>>, context: ActContext): Promise<ActResult>
  update(target: KindTarget<SpecOf<S>>, context: ActContext): Promise<ActResult>
  delete(target: KindTarget<SpecOf<S>>, context: ActContext): Promise<ActResult>
  actBatch?(scope: string, items: readonly BatchItem<SpecOf<S>>[]): Promise<readonly ActResult[]>
  /** Takes away what an act that a crash cut off left beside the target. */
  cleanUp?(identity: string, uid: string, world: ActWorld): Promise<void>
  /** How `setpoint import` finds what exists already. */
  readonly importer?: Importer
  readonly batch?: "whole"
  /** What the target wrote: `setpoint logs` shows it. */
  log?(identity: string, request: LogRequest, world: ReadWorld): Promise<LogPage>
  watch?(target: KindTarget<SpecOf<S>>, world: ReadWorld, changed: () => void): Closeable
}

/** Reads targets one by one. */
export interface ReadsOne<S> {
  observe(target: KindTarget<SpecOf<S>>, context: ObserveContext): Promise<Observation>
  readonly list?: never
  readonly scopeOf?: never
}

/** Reads all targets of a scope together. */
export interface ReadsScope<S> {
  list(scope: string, sample: KindTarget<SpecOf<S>>, context: ObserveContext): Promise<Listing>
  scopeOf(spec: SpecOf<S>): string
  readonly observe?: never
}

export type KindInput<S> = KindBase<S> & (ReadsOne<S> | ReadsScope<S>)

export function defineKind<const S extends z.ZodObject | JsonObject>(
  input: KindInput<S>,
): KindProvider {
  check(input)
  const { group, version, kind } = input
  const resource = input.plural ?? pluralOf(kind)
  const scope = input.scope ?? "Namespaced"
  const spec = lowerSchema(input.spec, kind)
  checkReplaceOn(kind, [...(input.replaceOn ?? []), ...(input.restless ?? [])], spec)
  const definition = definitionOf({
    ...{ group, version, kind, plural: resource, scope, spec },
    shortNames: input.shortNames ?? [],
    printerColumns: input.printerColumns ?? [],
    ...(input.description === undefined ? {} : { description: input.description }),
  })
  const marked = specSchemaOf({ definition, version })
  return {
    ...{ definition, group, version, kind, resource },
    namespaced: scope === "Namespaced",
    provider: input.provider ?? `${resource}.${group}`,
    identityRule: input.identityRule ?? "derived",
    replaceOn: input.replaceOn ?? [],
    secretPaths: secretPathsOf(spec),
    fungible: input.fungible ?? false,
    ...(input.uidField === undefined ? {} : { uidField: input.uidField }),
    ...(input.restless === undefined ? {} : { restless: input.restless }),
    ...(input.readsOwnWrites === true ? { readsOwnWrites: true } : {}),
    confirmDrift: input.confirmDrift ?? false,
    ...(input.privileged === true ? { privileged: true } : {}),
    timeoutMs: { observe: 10_000, act: 30_000, ...input.timeoutMs },
    batchWhole: input.batch === "whole",
    connection: (desired) => input.connection?.(asSpec<S>(desired)) ?? "",
    desire: (given, lookup) => resolveReferences(marked, given, lookup),
    ...functionsOf(input),
  }
}

type Functions = {
  -readonly [Name in keyof KindProvider]?: KindProvider[Name]
} & Pick<KindProvider, "identity" | "create" | "update" | "delete">

/** The author's functions under the names the engine calls; those not given stay missing. */
function functionsOf<S>(input: KindInput<S>): Functions {
  const typed = asTarget<S>
  const out: Functions = {
    identity: (desired) => input.identity(asSpec<S>(desired)),
    create: (target, context) => input.create(typed(target), context),
    update: (target, context) => input.update(typed(target), context),
    delete: (target, context) => input.delete(typed(target), context),
  }
  if (input.list !== undefined) {
    out.scope = (desired) => input.scopeOf(asSpec<S>(desired))
    out.list = (scope, sample, context) => input.list(scope, typed(sample), context)
  } else out.observe = (target, context) => input.observe(typed(target), context)
  const { fingerprints, normalize, actBatch, watch, cleanUp, log } = input
  if (fingerprints !== undefined) {
    out.fingerprints = (identities, world) => fingerprints.call(input, identities, world)
  }
  if (cleanUp !== undefined) {
    out.cleanUp = (identity, uid, world) => cleanUp.call(input, identity, uid, world)
  }
  if (log !== undefined) {
    out.log = (identity, request, world) => log.call(input, identity, request, world)
  }
  if (normalize !== undefined) out.normalize = (value) => normalize.call(input, value)
  if (actBatch !== undefined) {
    const item = ({ target, context }: { target: Target; context: ActContext }) => ({
      target: typed(target),
      context,
    })
    out.actBatch = (scope, items) => actBatch.call(input, scope, items.map(item))
  }
  if (input.importer !== undefined) out.importer = input.importer
  if (watch !== undefined) {
    out.watch = (target, world, changed) => watch.call(input, typed(target), world, changed)
  }
  return out
}

/** The API validated the spec against the lowered schema, so it has the type that zod says. */
function asSpec<S>(desired: JsonObject): SpecOf<S> {
  return desired as SpecOf<S>
}

function asTarget<S>(target: Target): KindTarget<SpecOf<S>> {
  return { ...target, desired: asSpec<S>(target.desired) }
}

const labelPattern = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/
const groupPattern = /^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$/

/** What the API calls a kind; composite kinds are named the same way. */
export function checkNames(input: {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural?: string
}): void {
  const { kind, group, version, plural } = input
  const wrong = (cause: string) => providerFault("SPT-PROV-002", { kind, cause })
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) throw wrong("the kind's name is not CamelCase")
  if (!groupPattern.test(group) || !group.includes(".")) {
    throw wrong(`the group "${group}" is not a domain name`)
  }
  if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version)) {
    throw wrong(`the version "${version}" is not like v1 or v1alpha1`)
  }
  if (!labelPattern.test(plural ?? pluralOf(kind))) throw wrong("the plural is not a DNS label")
}

function check(input: KindInput<never> | KindInput<z.ZodObject | JsonObject>): void {
  const { kind } = input
  const wrong = (cause: string) => providerFault("SPT-PROV-002", { kind, cause })
  checkNames(input)
  if (input.observe === undefined && input.list === undefined) {
    throw providerFault("SPT-PROV-001", { kind })
  }
  if (input.observe !== undefined && input.list !== undefined) {
    throw wrong("it has both observe and list; the engine needs one source of facts")
  }
  if (input.list !== undefined && input.scopeOf === undefined) {
    throw wrong("list needs scopeOf, which says in which scope a spec's target is listed")
  }
  if (input.actBatch !== undefined && input.list === undefined) {
    throw wrong("actBatch acts on a scope, so the kind needs list and scopeOf")
  }
  if (input.batch === "whole" && input.actBatch === undefined) {
    throw wrong('batch: "whole" needs actBatch')
  }
  for (const name of ["identity", "create", "update", "delete"] as const) {
    if (typeof input[name] !== "function") throw wrong(`${name} is not a function`)
  }
}

function checkReplaceOn(kind: string, fields: readonly string[], spec: JsonObject): void {
  const known = spec.properties as JsonObject | undefined
  for (const field of fields) {
    const first = field.split(/[.[]/)[0] ?? ""
    if (known?.[first] !== undefined) continue
    const cause = `replaceOn or restless names "${field}", which the spec does not have`
    throw providerFault("SPT-PROV-002", { kind, cause })
  }
}

/** English plurals as far as kinds need them; anything else is said with `plural`. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase()
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return `${word}s`
}
