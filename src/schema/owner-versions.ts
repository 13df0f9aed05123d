// The versions of a kind, as the records of owners need them. An entry's paths are those of the
// version it was made in, so objects are compared there. How an object looks in another version
// others have to say: whoever wants to know yields the question and goes on with the answer. Nobody
// asks when all entries are of one version.

import type { JsonObject } from "../base/json.ts"
import type { SchemaNode } from "./schema-node.ts"
import { type Comparison, compareTyped } from "./typed-merge.ts"

export interface VersionedKind {
  /** The version of the request, in which objects come in and go out. */
  readonly apiVersion: string
  readonly node: SchemaNode
  /** A path means the same in each version, though not each may know it. */
  readonly hasSamePaths: boolean
  /** The schema of another version; undefined where its paths are those of the request's. */
  otherNode(apiVersion: string): SchemaNode | undefined
}

/** Objects of the request's version or of another one, wanted in `apiVersion`. */
export interface Conversion {
  readonly apiVersion: string
  readonly objects: readonly JsonObject[]
}

export type Steps<T> = Generator<Conversion, T, readonly JsonObject[]>

/** A kind whose versions all have the same paths. */
export const inOneVersion = (node: SchemaNode, apiVersion = ""): VersionedKind => ({
  apiVersion,
  node,
  hasSamePaths: true,
  otherNode: () => undefined,
})

/** For kinds of one version: nothing has to be converted. */
export function atOnce<T>(steps: Steps<T>): T {
  const step = steps.next()
  if (step.done === true) return step.value
  throw new TypeError(`nobody converts to ${step.value.apiVersion} here`)
}

export async function withConversions<T>(
  steps: Steps<T>,
  convert: (conversion: Conversion) => Promise<readonly JsonObject[]>,
): Promise<T> {
  let step = steps.next()
  while (step.done !== true) step = steps.next(await convert(step.value))
  return step.value
}

/** The version whose paths an entry of that version has. */
export const pathVersion = (kind: VersionedKind, apiVersion: string): string =>
  kind.otherNode(apiVersion) === undefined ? kind.apiVersion : apiVersion

/** The schema that gives them their meaning. */
export const pathNode = (kind: VersionedKind, apiVersion: string): SchemaNode =>
  kind.otherNode(apiVersion) ?? kind.node

/** An object of the request's version in others, each asked for once. */
export class ObjectForms {
  readonly #kind: VersionedKind
  readonly #forms: Map<string, JsonObject>

  constructor(kind: VersionedKind, object: JsonObject) {
    this.#kind = kind
    this.#forms = new Map([[kind.apiVersion, object]])
  }

  *in(apiVersion: string): Steps<JsonObject> {
    const version = pathVersion(this.#kind, apiVersion)
    const known = this.#forms.get(version)
    const form = known ?? (yield* converted(this.#forms.get(this.#kind.apiVersion) ?? {}, version))
    this.#forms.set(version, form)
    return form
  }
}

export function* converted(object: JsonObject, apiVersion: string): Steps<JsonObject> {
  const [form = object] = yield { apiVersion, objects: [object] }
  return form
}

/** How two states of an object differ, in each version. */
export class VersionedChange {
  readonly #kind: VersionedKind
  readonly #before: JsonObject
  readonly #after: JsonObject
  readonly #known = new Map<string, Comparison>()

  constructor(kind: VersionedKind, before: JsonObject, after: JsonObject) {
    this.#kind = kind
    this.#before = before
    this.#after = after
  }

  *in(apiVersion: string): Steps<Comparison> {
    const version = pathVersion(this.#kind, apiVersion)
    const known = this.#known.get(version)
    const found = known ?? (yield* this.#compare(version))
    this.#known.set(version, found)
    return found
  }

  *#compare(version: string): Steps<Comparison> {
    const { node, apiVersion } = this.#kind
    const [before, after] = [this.#before, this.#after]
    if (version === apiVersion) return compareTyped(node, before, after)
    // What did not exist looks the same in every version.
    const exists = Object.keys(before).length > 0
    const objects = exists ? [before, after] : [after]
    const forms = yield { apiVersion: version, objects }
    const [former = before, latter = after] = exists ? forms : [before, ...forms]
    return compareTyped(pathNode(this.#kind, version), former, latter)
  }
}
