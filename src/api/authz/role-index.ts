// Roles and bindings in memory, by subject, so that a check reads only what names the caller. Fed
// by every commit before it is answered, and by following the store; a change touches only what it
// names.

import type { Clock } from "../../base/clock.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { Revision, Store } from "../../contract/store.ts"
import type { ApiObject, ObjectKey } from "../../object/object.ts"
import { followIndex } from "../follow-index.ts"
import type { Follower } from "../follow-store.ts"
import { parseStorageKey, registryPrefix } from "../storage-keys.ts"
import { type LabelSelector, readSelector, selects } from "./label-selector.ts"
import { type PolicyRule, readRules } from "./policy-rule.ts"

export const rbacGroup = "rbac.authorization.k8s.io"
const rbacPrefix = `${registryPrefix}${rbacGroup}/`

export interface Role {
  readonly key: ObjectKey
  readonly labels: Readonly<Record<string, string>>
  readonly rules: readonly PolicyRule[]
  /** Set for cluster roles whose rules are those of others. */
  readonly aggregates?: readonly LabelSelector[]
}

export interface Binding {
  readonly key: ObjectKey
  readonly roleKind: "Role" | "ClusterRole"
  readonly roleName: string
  /** Keys of `subjectsOf`. */
  readonly subjects: readonly string[]
}

interface Known {
  readonly revision: Revision
  /** Undefined when it is gone, until the follower says so too. */
  readonly value: Role | Binding | undefined
}

export const userSubject = (name: string): string => `u:${name}`
export const groupSubject = (name: string): string => `g:${name}`

export function serviceAccountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

export class RoleIndex {
  readonly #known = new Map<string, Known>()
  readonly #bindings = new Map<string, Map<string, Binding>>()
  readonly #clusterRoles = new Map<string, Role>()
  /** By "namespace/name". */
  readonly #roles = new Map<string, Role>()
  readonly #aggregated = new Map<string, readonly PolicyRule[]>()
  readonly #listeners = new Set<() => void>()
  readonly #gone = new Set<string>()

  clusterRoles(): Iterable<Role> {
    return this.#clusterRoles.values()
  }

  /** Bindings that name one of these subjects. */
  *bindingsOf(subjects: readonly string[]): Iterable<Binding> {
    for (const subject of subjects) {
      const some = this.#bindings.get(subject)
      if (some !== undefined) yield* some.values()
    }
  }

  /** Undefined when the role of the binding does not exist: then it grants nothing. */
  rulesOf({
    key,
    roleKind,
    roleName,
  }: Omit<Binding, "subjects">): readonly PolicyRule[] | undefined {
    if (roleKind === "Role") return this.#roles.get(`${key.namespace}/${roleName}`)?.rules
    const role = this.#clusterRoles.get(roleName)
    return role === undefined ? undefined : this.effectiveRules(role)
  }

  /** With the rules of the roles that it aggregates. */
  effectiveRules(role: Role): readonly PolicyRule[] {
    if (role.aggregates === undefined) return role.rules
    const name = role.key.name
    const cached = this.#aggregated.get(name)
    if (cached !== undefined) return cached
    const rules = this.#collect(role, new Set([name]))
    this.#aggregated.set(name, rules)
    return rules
  }

  #collect({ aggregates = [], key }: Role, seen: Set<string>): readonly PolicyRule[] {
    const rules: PolicyRule[] = []
    const names = [...this.#clusterRoles.keys()].sort()
    for (const name of names) {
      const role = this.#clusterRoles.get(name)
      if (role === undefined || name === key.name) continue
      if (!aggregates.some((selector) => selects(selector, role.labels))) continue
      if (role.aggregates === undefined) rules.push(...role.rules)
      else if (!seen.has(name)) rules.push(...this.#collect(role, new Set([...seen, name])))
    }
    const once = new Map(rules.map((rule) => [JSON.stringify(rule), rule]))
    return [...once.values()]
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Undefined when the object is gone. An older revision than the known one changes nothing. */
  put(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    const known = this.#known.get(storageKey)
    if (known !== undefined && known.revision >= revision) return
    const key = parseStorageKey(storageKey)
    if (key === undefined) return
    this.#drop(storageKey, known?.value)
    const value = object === undefined ? undefined : readEntry(key, object)
    this.#known.set(storageKey, { revision, value })
    if (value === undefined) this.#gone.add(storageKey)
    else this.#add(storageKey, value)
    for (const listener of this.#listeners) listener()
  }

  /** A writer's commit, known here before the watch brings it. */
  noteCommitted(storageKey: string, object: ApiObject | undefined, revision: Revision): void {
    if (storageKey.startsWith(rbacPrefix)) this.put(storageKey, object, revision)
  }

  /** The follower has handed over everything up to here: what is gone by then needs no mark. */
  settle(revision: Revision): void {
    for (const key of this.#gone) {
      const known = this.#known.get(key)
      if (known !== undefined && known.revision > revision) continue
      this.#gone.delete(key)
      if (known?.value === undefined) this.#known.delete(key)
    }
  }

  keys(): string[] {
    return [...this.#known].filter(([, { value }]) => value !== undefined).map(([key]) => key)
  }

  #add(storageKey: string, value: Role | Binding): void {
    if ("subjects" in value) {
      for (const subject of value.subjects) {
        const some = this.#bindings.get(subject) ?? new Map<string, Binding>()
        this.#bindings.set(subject, some.set(storageKey, value))
      }
      return
    }
    if (value.key.resource === "roles") {
      this.#roles.set(`${value.key.namespace}/${value.key.name}`, value)
      return
    }
    this.#clusterRoles.set(value.key.name, value)
    this.#aggregated.clear()
  }

  #drop(storageKey: string, value: Role | Binding | undefined): void {
    if (value === undefined) return
    if ("subjects" in value) {
      for (const subject of value.subjects) {
        const some = this.#bindings.get(subject)
        some?.delete(storageKey)
        if (some?.size === 0) this.#bindings.delete(subject)
      }
      return
    }
    if (value.key.resource === "roles") {
      this.#roles.delete(`${value.key.namespace}/${value.key.name}`)
      return
    }
    this.#clusterRoles.delete(value.key.name)
    this.#aggregated.clear()
  }
}

function readEntry(key: ObjectKey, object: ApiObject): Role | Binding | undefined {
  if (key.resource === "roles" || key.resource === "clusterroles") {
    const selectors = at(object as object as Json, "aggregationRule", "clusterRoleSelectors")
    const aggregates = isArray(selectors) ? selectors.map(readSelector) : undefined
    const isCluster = key.resource === "clusterroles" && aggregates !== undefined
    return {
      key,
      labels: object.metadata.labels ?? {},
      rules: readRules(object.rules as Json | undefined),
      ...(isCluster ? { aggregates } : {}),
    }
  }
  return key.resource.endsWith("bindings") ? readBinding(key, object) : undefined
}

export function readBinding(key: ObjectKey, object: ApiObject): Binding {
  const ref = object.roleRef as Json | undefined
  const kind = at(ref, "kind") === "Role" && key.namespace !== "" ? "Role" : "ClusterRole"
  const name = at(ref, "name")
  const subjects = isArray(object.subjects) ? object.subjects.filter(isObject) : []
  return {
    key,
    roleKind: kind,
    roleName: typeof name === "string" ? name : "",
    subjects: [...new Set(subjects.flatMap((one) => subjectKey(one, key.namespace)))],
  }
}

function subjectKey(subject: JsonObject, home: string): string[] {
  const { kind, name, namespace } = subject
  if (typeof name !== "string") return []
  if (kind === "User") return [userSubject(name)]
  if (kind === "Group") return [groupSubject(name)]
  if (kind !== "ServiceAccount") return []
  const where = typeof namespace === "string" && namespace !== "" ? namespace : home
  return where === "" ? [] : [userSubject(serviceAccountName(where, name))]
}

/** Keeps the index up to date with what is stored. */
export function followRoles(store: Store, clock: Clock, index: RoleIndex): Follower {
  return followIndex({ store, clock, prefix: rbacPrefix, index })
}
