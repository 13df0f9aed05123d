// What the API serves now: the built-in kinds, and those of every stored definition. Writers tell
// it of a definition as soon as it is committed; following the store brings those of other writers.

import type { Clock } from "../base/clock.ts"
import { type Fault, toFault } from "../base/faults.ts"
import { equalJson, type JsonObject } from "../base/json.ts"
import { protects } from "../base/protections.ts"
import type { Change, Check, Entry, Revision, Store } from "../contract/store.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"
import { decodeObject } from "./codec.ts"
import type { DefinitionVersions } from "./definition-versions.ts"
import { admissionDefinitions } from "./definitions/admission-registration.ts"
import { leaseDefinition } from "./definitions/coordination.ts"
import {
  configMapDefinition,
  namespaceDefinition,
  secretDefinition,
  serviceAccountDefinition,
} from "./definitions/core.ts"
import { definitionDefinition } from "./definitions/definition.ts"
import type { TakenNames } from "./definitions/definition-status.ts"
import { eventDefinition, newEventDefinition } from "./definitions/events.ts"
import { guardPolicyDefinition } from "./definitions/guard-policy.ts"
import { invariantDefinition, signalDefinition } from "./definitions/invariants.ts"
import { notifierDefinition } from "./definitions/notifiers.ts"
import { rbacDefinitions } from "./definitions/rbac.ts"
import { reviewDefinitions } from "./definitions/reviews.ts"
import { loopDefinition, planDefinition, planeDefinition } from "./definitions/setpoint.ts"
import { apiFault } from "./faults.ts"
import { type Follower, followStore } from "./follow-store.ts"
import { compileDefinition, resourceName, type ServedResource } from "./served-resource.ts"
import { parseStorageKey, resourcePrefix, storageKey } from "./storage-keys.ts"

export const definitionGroup = "apiextensions.k8s.io"
export const definitionResource = "customresourcedefinitions"

const definitionsPrefix = resourcePrefix(definitionGroup, definitionResource)

const builtIns: readonly ApiObject[] = [
  namespaceDefinition,
  configMapDefinition,
  secretDefinition,
  serviceAccountDefinition,
  eventDefinition,
  newEventDefinition,
  leaseDefinition,
  definitionDefinition,
  loopDefinition,
  planDefinition,
  planeDefinition,
  guardPolicyDefinition,
  invariantDefinition,
  signalDefinition,
  notifierDefinition,
  ...rbacDefinitions,
  ...admissionDefinitions,
  ...reviewDefinitions,
]

interface BuiltIn {
  readonly name: string
  readonly served: readonly ServedResource[]
}

let compiled: readonly BuiltIn[] | undefined

/** They never change, so all registries of a process share them. */
function compiledBuiltIns(): readonly BuiltIn[] {
  compiled ??= builtIns.map((definition) => ({
    name: definition.metadata.name,
    served: compileDefinition(definition),
  }))
  return compiled
}

interface Known {
  readonly revision: Revision
  readonly served: readonly ServedResource[]
  /** What the definition says, and since which revision it has said so. */
  readonly spec?: JsonObject
  readonly since?: Revision
  readonly trouble?: Fault
  /** Being deleted: what it defines is served, and nothing new is made. */
  readonly ending?: boolean
}

export interface KnownDefinition {
  readonly revision: Revision
  readonly ending: boolean
  /** Undefined while it is not served. */
  readonly versions: DefinitionVersions | undefined
}

interface Waiting {
  readonly ref: ResourceRef
  readonly end: AbortController
}

export class ResourceRegistry {
  readonly #waiting = new Set<Waiting>()
  readonly #known = new Map<string, Known>()
  #version = 0
  #all: { readonly version: number; readonly served: readonly ServedResource[] } | undefined

  /** `more` are built-in kinds that only some planes serve. */
  constructor(more: readonly ApiObject[] = []) {
    const others = more.map((definition) => ({
      name: definition.metadata.name,
      served: compileDefinition(definition),
    }))
    for (const { name, served } of [...compiledBuiltIns(), ...others]) {
      this.#known.set(name, { revision: 0, served })
    }
  }

  /** Another number whenever something else may be served; for what is made from all of it. */
  get version(): number {
    return this.#version
  }

  all(): readonly ServedResource[] {
    if (this.#all?.version !== this.#version) {
      const served = [...this.#known.values()].flatMap((known) => known.served)
      this.#all = { version: this.#version, served }
    }
    return this.#all.served
  }

  /** Where objects may lie, also of definitions that are not served now. */
  places(): readonly Pick<ResourceRef, "group" | "resource">[] {
    const all = new Map<string, Pick<ResourceRef, "group" | "resource">>()
    for (const { storedAs } of this.all()) all.set(resourceName(storedAs), storedAs)
    for (const name of this.#known.keys()) {
      const dot = name.indexOf(".")
      if (dot < 0 || all.has(name)) continue
      all.set(name, { group: name.slice(dot + 1), resource: name.slice(0, dot) })
    }
    return [...all.values()]
  }

  find(ref: ResourceRef): ServedResource | undefined {
    return this.#ofDefinition(ref).find((served) => served.version === ref.version)
  }

  /** Every version of the kind that is served. */
  versionsOf(key: { group: string; resource: string }): readonly ServedResource[] {
    return this.#ofDefinition(key)
  }

  /** As find, but throws 404. */
  need(ref: ResourceRef): ServedResource {
    const found = this.find(ref)
    if (found !== undefined) return found
    const resource = `${resourceName(ref)}/${ref.version}`
    throw apiFault("SPT-API-002", { resource })
  }

  /** The version objects are stored in, or any that is served. */
  findStored(key: { group: string; resource: string }): ServedResource | undefined {
    const served = this.#ofDefinition(key)
    return served.find((one) => one.version === one.storageVersion) ?? served[0]
  }

  findKind(group: string, version: string, kind: string): ServedResource | undefined {
    return this.all().find(
      (one) => one.group === group && one.version === version && one.kind === kind,
    )
  }

  /** By plural, singular, short name or kind, any case, also as NAME.GROUP; best version first. */
  lookup(text: string): ServedResource[] {
    const wanted = text.toLowerCase()
    return this.all().filter((one) => {
      const names = [one.resource, one.singular, one.kind, ...one.shortNames]
      return names.some((name) => {
        const lower = name.toLowerCase()
        return lower === wanted || `${lower}.${one.group}` === wanted
      })
    })
  }

  /** Names that others of the definition's group have. */
  takenNames(definition: ApiObject): TakenNames {
    const group = String(definition.spec?.group ?? "")
    const others = this.all().filter(
      (one) => one.group === group && one.definition !== definition.metadata.name,
    )
    return {
      resources: new Set(others.flatMap((one) => [one.singular, one.resource, ...one.shortNames])),
      kinds: new Set(others.flatMap((one) => [one.kind, one.listKind])),
    }
  }

  /** An older revision than the known one changes nothing. */
  put(definition: ApiObject, revision: Revision): void {
    const { name } = definition.metadata
    const known = this.#known.get(name)
    if (known !== undefined && (known.revision >= revision || isBuiltIn(known))) return
    this.#version++
    const ending = definition.metadata.deletionTimestamp !== undefined
    const spec = (definition.spec ?? {}) as JsonObject
    // A status or an annotation more does not make stored objects older than their schema.
    const same = known?.spec !== undefined && equalJson(known.spec, spec)
    const since = same ? (known.since ?? revision) : revision
    const base = { revision, spec, since, ending }
    try {
      const served = isEstablished(definition) ? compileDefinition(definition, since) : []
      this.#known.set(name, { ...base, served })
    } catch (error) {
      // Stored under older rules: it is not served, and that must not keep the others from it.
      this.#known.set(name, { ...base, served: [], trouble: toFault(error) })
    }
    this.#endWatches(same ? undefined : name)
  }

  remove(name: string, revision: Revision): void {
    const known = this.#known.get(name)
    if (known === undefined || known.revision >= revision || isBuiltIn(known)) return
    this.#version++
    this.#known.delete(name)
    this.#endWatches(name)
  }

  /** Ends with the given signal, or as soon as the version is not served as it was. */
  whileServed(ref: ResourceRef, signal: AbortSignal): AbortSignal {
    const waiting: Waiting = { ref, end: new AbortController() }
    this.#waiting.add(waiting)
    signal.addEventListener("abort", () => this.#waiting.delete(waiting), { once: true })
    return AbortSignal.any([signal, waiting.end.signal])
  }

  /** A watch shows objects as they were served when it began; who comes back sees the rest. */
  #endWatches(changed: string | undefined): void {
    for (const waiting of this.#waiting) {
      const served = this.find(waiting.ref)
      if (served !== undefined && served.definition !== changed) continue
      this.#waiting.delete(waiting)
      waiting.end.abort()
    }
  }

  /** A stored definition as it is known here; undefined for built-in kinds. */
  definition(name: string): KnownDefinition | undefined {
    const known = this.#known.get(name)
    if (known === undefined || isBuiltIn(known)) return undefined
    const { revision, ending = false, served } = known
    return { revision, ending, versions: served[0]?.versions }
  }

  /** A stored object as its definition says now, with what that no longer knows left out. */
  settle(storageKey: string, object: ApiObject): ApiObject {
    const key = parseStorageKey(storageKey)
    const [first] = key === undefined ? [] : this.#ofDefinition(key)
    return first === undefined ? object : first.versions.settle(object)
  }

  /** For the commit of what was settled here: it must still be what its definition says. */
  checkOf(path: string): Check | undefined {
    const key = parseStorageKey(path)
    const name = key === undefined ? "" : resourceName(key)
    const known = this.definition(name)
    if (known === undefined) return undefined
    const at = { group: definitionGroup, resource: definitionResource, namespace: "", name }
    return { key: storageKey(at), modRevision: known.revision }
  }

  /** No stored definition stands for its objects. */
  isBuiltIn(group: string, resource: string): boolean {
    const [first] = this.#ofDefinition({ group, resource })
    return first?.builtIn === true && protects("built-in-names-are-taken")
  }

  /** Definitions that are being deleted. */
  ending(): string[] {
    return [...this.#known].filter(([, known]) => known.ending === true).map(([name]) => name)
  }

  /** Stored definitions that can't be served, and why. */
  troubles(): Fault[] {
    return [...this.#known.values()].flatMap(({ trouble }) => trouble ?? [])
  }

  /** A writer's commit, known here before the watch brings it. */
  noteCommitted(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    if (!storageKey.startsWith(definitionsPrefix)) return
    if (object === undefined) this.remove(parseStorageKey(storageKey)?.name ?? "", revision)
    else this.put(object, revision)
  }

  /** Definitions known from the store, with the revision they were read at. */
  stored(): [string, Revision][] {
    const entries = [...this.#known].filter(([, known]) => !isBuiltIn(known))
    return entries.map(([name, known]) => [name, known.revision])
  }

  #ofDefinition(key: { group: string; resource: string }): readonly ServedResource[] {
    return this.#known.get(resourceName(key))?.served ?? []
  }
}

const isBuiltIn = (known: Known): boolean => known.served[0]?.builtIn === true

function isEstablished(definition: ApiObject): boolean {
  const conditions = definition.status?.conditions
  if (!Array.isArray(conditions)) return false
  return conditions.some((one) => one.type === "Established" && one.status === "True")
}

/** Keeps the registry up to date with the stored definitions. */
export function followDefinitions(
  store: Store,
  clock: Clock,
  registry: ResourceRegistry,
): Follower {
  let unseen = new Map<string, Revision>()
  const put = (entry: { key: string; value: Uint8Array; modRevision: Revision }) => {
    const definition = decodeObject(entry.value, entry.modRevision)
    unseen.delete(definition.metadata.name)
    registry.put(definition, entry.modRevision)
  }
  const change = (change: Change) => {
    if (change.kind === "put" && change.value !== undefined) {
      put({ key: change.key, value: change.value, modRevision: change.modRevision })
    } else {
      registry.remove(parseStorageKey(change.key)?.name ?? "", change.modRevision)
    }
  }
  return followStore({
    store,
    clock,
    prefix: definitionsPrefix,
    sink: {
      begin: () => {
        unseen = new Map(registry.stored())
      },
      entries: (entries: readonly Entry[]) => entries.forEach(put),
      end: (revision) => {
        for (const [name, known] of unseen) if (known <= revision) registry.remove(name, revision)
      },
      changes: (_, changes) => changes.forEach(change),
    },
  })
}
