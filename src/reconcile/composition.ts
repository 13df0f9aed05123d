// Runs the pure function of a composite kind and checks what it says, since it is somebody else's
// code: manifests of the kinds it announced, in the parent's place, with names that are used once,
// within bounds. Whatever is wrong is a cause to stall on; nothing is written or deleted then.

import { toFault } from "../base/faults.ts"
import { hashJson } from "../base/hash.ts"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { protects } from "../base/protections.ts"
import type { ComposeInput, CompositeKind } from "../contract/composite.ts"
import {
  type ApiObject,
  keyText,
  loopLabel,
  parseApiVersion,
  protectAnnotation,
  type ResourceRef,
  waveAnnotation,
  whyAnnotation,
} from "../object/object.ts"

export const childrenMax = 1000
const statusBytesMax = 64 * 1024
const reportsMax = 10_000

/** How the API serves a kind. */
export interface Served {
  readonly resource: ResourceRef
  readonly namespaced: boolean
}

export type ServedLookup = (group: string, kind: string) => Served | undefined

export interface WantedChild {
  /** Text form of its key. */
  readonly key: string
  readonly kind: string
  readonly resource: ResourceRef
  readonly object: ApiObject
  readonly hash: string
}

export interface Composed {
  readonly children: readonly WantedChild[]
  /** Only tried, not written. */
  readonly tries: readonly WantedChild[]
  readonly status: JsonObject
  readonly reports: readonly { readonly object: ApiObject; readonly status: JsonObject }[]
  readonly againMs: number | undefined
}

export type Checked = Composed | { readonly stalled: string; readonly reason: string }

export function runCompose(
  composite: CompositeKind,
  input: ComposeInput,
  served: ServedLookup,
): Checked {
  let answer: unknown
  try {
    answer = composite.compose(input)
  } catch (error) {
    if (!protects("failed-compose-is-not-empty")) return nothing
    return { reason: "ComposeFailed", stalled: `compose failed: ${toFault(error).message}` }
  }
  if (isNoComposition(answer)) return { reason: "NoComposition", stalled: answer.stalled }
  try {
    return checked(composite, input.parent, answer, served)
  } catch (error) {
    if (!(error instanceof Nonsense)) throw error
    return { reason: "BadComposition", stalled: `compose returned ${error.message}` }
  }
}

/** What must never be: taking a failure for a wish. */
const nothing: Composed = {
  ...{ children: [], tries: [], status: {}, reports: [] },
  againMs: undefined,
}

/** Why an answer can't be used; never leaves this file. */
class Nonsense extends Error {}

const isNoComposition = (answer: unknown): answer is { stalled: string } =>
  typeof answer === "object" && answer !== null && "stalled" in answer && isText(answer.stalled)

const isText = (value: unknown): value is string => typeof value === "string"

function checked(
  composite: CompositeKind,
  parent: ApiObject,
  answer: unknown,
  served: ServedLookup,
): Composed {
  const said: Json = isPlain(answer) ? answer : null
  if (!isObject(said)) throw new Nonsense("no plain value with children and status")
  const { children, tries = [], status, reports = [], againMs } = said
  if (!isArray(children) || !isArray(tries)) throw new Nonsense("no list of children")
  const most = Math.max(children.length, tries.length)
  if (most > childrenMax) {
    throw new Nonsense(`${most} children; at most ${childrenMax} can be kept`)
  }
  if (!isObject(status)) throw new Nonsense("no status")
  const bytes = jsonText(status).length
  if (bytes > statusBytesMax) throw new Nonsense(`a status of more than ${statusBytesMax} bytes`)
  if (!isArray(reports) || reports.length > reportsMax) throw new Nonsense("reports that are none")
  if (againMs !== undefined && !(typeof againMs === "number" && againMs > 0)) {
    throw new Nonsense("an againMs that is no positive number")
  }
  const wantedOf = (child: Json) => wantedChild(composite, parent, child, served)
  const wanted = children.map(wantedOf)
  const names = new Set(wanted.map(({ key }) => key))
  if (names.size < wanted.length) throw new Nonsense("two children of one kind and name")
  const told = { status, reports: reports.map(reportOf), againMs }
  return { children: wanted, tries: tries.map(wantedOf), ...told }
}

/** Functions, dates, promises and circles have no place in a manifest. */
function isPlain(value: unknown, depth = 0): value is Json {
  if (value === null || ["string", "boolean", "undefined", "bigint"].includes(typeof value)) {
    return true
  }
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || depth > 64) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === Object.prototype || prototype === null
  return plain && Object.values(value).every((member) => isPlain(member, depth + 1))
}

function reportOf(report: Json): Composed["reports"][number] {
  const object = isObject(report) ? report.object : undefined
  const status = isObject(report) ? report.status : undefined
  if (!isObject(object) || !isObject(object.metadata) || !isObject(status)) {
    throw new Nonsense("a report without object and status")
  }
  if (jsonText(status).length > statusBytesMax) throw new Nonsense("a report that is too long")
  return { object: object as object as ApiObject, status }
}

function wantedChild(
  composite: CompositeKind,
  parent: ApiObject,
  child: Json,
  served: ServedLookup,
): WantedChild {
  const { apiVersion, kind, metadata, ...body } = isObject(child) ? child : {}
  if (!isText(apiVersion) || !isText(kind) || !isObject(metadata) || !isText(metadata.name)) {
    throw new Nonsense("a child without apiVersion, kind and metadata.name")
  }
  const what = `${kind} ${metadata.name}`
  const { group, version } = parseApiVersion(apiVersion)
  const announced = composite.children.some((one) => one.kind === kind && one.group === group)
  if (!announced) throw new Nonsense(`${what} of ${apiVersion}, which is not among its children`)
  const known = served(group, kind)
  if (known === undefined) throw new Nonsense(`${what}, and no kind ${kind} is served`)
  const { namespace = "" } = parent.metadata
  const given = metadata.namespace
  if (known.namespaced !== (namespace !== "") || (given !== undefined && given !== namespace)) {
    throw new Nonsense(`${what} outside of the parent's namespace`)
  }
  const { name } = metadata
  const resource = { ...known.resource, version }
  const { status: _, ...declared } = body
  const object: ApiObject = {
    ...{ apiVersion, kind, metadata: childMeta(parent, name, metadata, what) },
    ...declared,
  }
  const key = keyText({ group, resource: resource.resource, namespace, name })
  return { key, kind, resource, object, hash: hashJson(object as object as Json) }
}

const ownPrefix = "setpoint.dev/"
const forAuthors: ReadonlySet<string> = new Set([waveAnnotation, protectAnnotation, whyAnnotation])

/** Whose it is, and what goes with the parent: its loop, and its wave unless the child has one. */
function childMeta(
  parent: ApiObject,
  name: string,
  given: JsonObject,
  what: string,
): ApiObject["metadata"] {
  const { namespace, uid = "", labels: parentLabels, annotations: parentNotes } = parent.metadata
  const loop = parentLabels?.[loopLabel]
  const wave = parentNotes?.[waveAnnotation]
  const labels = {
    ...texts(given.labels, `the labels of ${what}`),
    ...(loop === undefined ? {} : { [loopLabel]: loop }),
  }
  const annotations = {
    ...(wave === undefined ? {} : { [waveAnnotation]: wave }),
    ...texts(given.annotations, `the annotations of ${what}`),
  }
  const { apiVersion, kind } = parent
  const owner = { apiVersion, kind, name: parent.metadata.name, uid }
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  }
}

function texts(given: Json | undefined, what: string): Record<string, string> {
  if (given === undefined) return {}
  const entries = isObject(given) ? Object.entries(given) : [["", null] as const]
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!isText(value)) throw new Nonsense(`${what} with something else than text`)
      const own = name.startsWith(ownPrefix) && !forAuthors.has(name)
      if (own && protects("composers-own-no-marks")) {
        throw new Nonsense(`${what} with ${name}, which is the plane's own`)
      }
      return [name, value]
    }),
  )
}
