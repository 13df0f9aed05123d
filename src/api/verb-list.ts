// Lists a collection as of one revision, in pages when asked. All pages of a list show the same
// snapshot; when that is compacted away the answer is 410, and a mixture only if the caller then
// asks for it.

import type { ListOptions, ObjectList } from "../contract/client.ts"
import type { Entry, Revision } from "../contract/store.ts"
import { type ApiObject, parseApiVersion, type ResourceRef } from "../object/object.ts"
import type { ApiContext } from "./api-context.ts"
import { convertEntries } from "./convert-objects.ts"
import { apiFault } from "./faults.ts"
import { listRevision } from "./list-options.ts"
import { readFieldSelector, readSelectors } from "./selectors.ts"
import { readBytes } from "./served-form.ts"
import type { ServedResource } from "./served-resource.ts"
import { resourcePrefix } from "./storage-keys.ts"

const pageSize = 500

interface ContinueToken {
  /** Undefined: whatever is newest, since the snapshot is gone. */
  readonly revision: Revision | undefined
  /** The last key that was looked at. */
  readonly after: string
}

function encodeContinue(token: ContinueToken): string {
  const text = JSON.stringify({ v: "setpoint/1", rv: token.revision ?? -1, start: token.after })
  return Buffer.from(text).toString("base64url")
}

function decodeContinue(text: string, prefix: string): ContinueToken {
  try {
    const value = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    const { v, rv, start } = value as Record<string, unknown>
    if (v === "setpoint/1" && Number.isSafeInteger(rv) && typeof start === "string") {
      const revision = Number(rv) < 0 ? undefined : Number(rv)
      if (start.startsWith(prefix)) return { revision, after: start }
    }
  } catch {
    // Not a token of ours: refused below, like every other text that is none.
  }
  const what = "the continue token"
  throw apiFault("SPT-API-006", { verb: "read", what, why: "it is not valid for this list" })
}

export function listPrefix(resource: ServedResource, options: ListOptions): string {
  const namespace = options.namespace ?? ""
  if (namespace !== "" && !resource.namespaced) {
    const what = resource.resource
    throw apiFault("SPT-API-006", { verb: "list", what, why: "the kind is cluster-scoped" })
  }
  const { storedAs } = resource
  return resourcePrefix(storedAs.group, storedAs.resource, namespace)
}

/** One stored object of a list; decoded already when the selector had to look at it. */
export interface Listed {
  readonly entry: Entry
  readonly object: ApiObject | undefined
}

export interface ListedEntries extends Omit<ObjectList, "items"> {
  readonly resource: ServedResource
  readonly items: readonly Listed[]
}

export async function listObjects(
  context: ApiContext,
  ref: ResourceRef,
  options: ListOptions = {},
  most?: number,
): Promise<ObjectList> {
  const { resource, items, ...rest } = await listEntries(context, ref, options, most)
  return { ...rest, items: items.map(({ entry, object }) => object ?? readEntry(resource, entry)) }
}

const readEntry = (resource: ServedResource, { value, modRevision }: Entry): ApiObject =>
  readBytes(resource, value, modRevision)

/**
 * The same without decoding what nobody needs decoded. `most` bounds it where nobody asked for a
 * page: it changes nothing about which revision is read.
 */
export async function listEntries(
  context: ApiContext,
  ref: ResourceRef,
  options: ListOptions = {},
  most?: number,
): Promise<ListedEntries> {
  const resource = context.registry.need(ref)
  const prefix = listPrefix(resource, options)
  const selector = readSelectors(options.labelSelector, options.fieldSelector, resource)
  const { name } = readFieldSelector(options.fieldSelector, resource)
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : most
  const token = options.continue ? decodeContinue(options.continue, prefix) : undefined
  let after = token?.after ?? (name === undefined ? undefined : justBefore(prefix, options, name))
  let revision = listRevision(options, context.store.revision) ?? token?.revision
  const items: Listed[] = []
  for (;;) {
    const page = await context.store.range({
      prefix,
      limit: limit === undefined ? pageSize : Math.min(pageSize, limit - items.length + 1),
      ...(after === undefined ? {} : { after }),
      ...(revision === undefined ? {} : { at: revision }),
    })
    if (page.kind === "compacted") throw expired(token, revision ?? 0, page.oldest)
    revision = page.revision
    const resourceVersion = String(revision)
    for (const entry of await convertEntries(context, resource, page.entries)) {
      if (limit !== undefined && items.length >= limit) {
        const next = encodeContinue({ revision, after: after ?? "" })
        return { resource, items, resourceVersion, continue: next }
      }
      after = entry.key
      const object = selector === undefined ? undefined : readEntry(resource, entry)
      if (object === undefined || selector?.(object) === true) items.push({ entry, object })
      else if (isPastName(prefix, options, name, entry.key)) {
        return { resource, items, resourceVersion }
      }
    }
    if (!page.more) return { resource, items, resourceVersion }
  }
}

/** A list that went on too long may go on from where it was, as of now: the token says so. */
function expired(token: ContinueToken | undefined, revision: Revision, oldest: Revision): Error {
  if (token === undefined) return apiFault("SPT-API-010", { what: "list", revision, oldest })
  const next = encodeContinue({ revision: undefined, after: token.after })
  return apiFault("SPT-API-113", { continue: next })
}

/** In one namespace a list for one name starts right before it ... */
function justBefore(prefix: string, options: ListOptions, name: string): string | undefined {
  if (!options.namespace || name === "") return undefined
  const last = name.charCodeAt(name.length - 1)
  return `${prefix}${name.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`
}

/** ... and ends right after it. */
function isPastName(
  prefix: string,
  options: ListOptions,
  name: string | undefined,
  key: string,
): boolean {
  return name !== undefined && Boolean(options.namespace) && key > `${prefix}${name}`
}

export function refOf(object: ApiObject, resource: string): ResourceRef {
  return { ...parseApiVersion(object.apiVersion), resource }
}
