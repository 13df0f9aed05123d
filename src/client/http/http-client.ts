// The client of another process: the same shape as the in-process one, over Kubernetes' paths.

import { isFault } from "../../base/faults.ts"
import { isArray, isObject, type Json } from "../../base/json.ts"
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  ObjectRef,
  WriteOptions,
} from "../../contract/client.ts"
import type { ApiObject, ResourceRef } from "../../object/object.ts"
import { clientFault } from "../faults.ts"
import { collectionPath, objectPath, queryText } from "../paths.ts"
import { type HttpClientOptions, HttpConnection } from "./http-connection.ts"
import { watchStream } from "./watch-stream.ts"

export interface HttpClient extends Client {
  close(): void
}

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const

export function httpClient(options: HttpClientOptions): HttpClient {
  const connection = new HttpConnection(options)
  return {
    ...readingClient(connection),
    ...writingClient(connection),
    close: () => connection.close(),
  }
}

type Reading = Pick<Client, "get" | "list" | "watch" | "call">

function readingClient(connection: HttpConnection): Reading {
  return {
    get: async (ref) => {
      try {
        return asObject(await connection.call({ method: "GET", path: pathOf(ref) }))
      } catch (error) {
        // Only the object's own absence is "none"; an unknown kind or path is an error.
        if (isFault(error) && error.status === 404 && error.details.name === ref.name)
          return undefined
        throw error
      }
    },
    list: async (resource, options = {}) => {
      const path = `${collectionPath(resource, options.namespace)}${queryText(listQuery(options))}`
      return asList(await connection.call({ method: "GET", path }))
    },
    watch: (resource, { resourceVersion, signal, ...options }) => {
      const pathAfter = (version: string) => {
        const query = {
          ...listQuery(options),
          watch: "true",
          allowWatchBookmarks: "true",
          resourceVersion: version,
        }
        return `${collectionPath(resource, options.namespace)}${queryText(query)}`
      }
      return watchStream(connection, pathAfter, resourceVersion, signal)
    },
    call: (method, path, body) => connection.call({ method, path, body }),
  }
}

type Writing = Omit<Client, keyof Reading>

function writingClient(connection: HttpConnection): Writing {
  const write = async (
    method: string,
    path: string,
    body: Json | object,
    options: WriteOptions = {},
    contentType?: string,
    more: Record<string, string | undefined> = {},
  ): Promise<ApiObject> => {
    const query = queryText({ ...writeQuery(options), ...more })
    const type = contentType === undefined ? {} : { contentType }
    return asObject(await connection.call({ method, path: `${path}${query}`, body, ...type }))
  }
  return {
    create: (resource, object, options) =>
      write("POST", collectionPath(resource, object.metadata.namespace), object, options),
    update: (resource, object, options) => write("PUT", homeOf(resource, object), object, options),
    updateStatus: (resource, object) => write("PUT", homeOf(resource, object, "status"), object),
    patch: (ref, type, patch, options) =>
      write("PATCH", pathOf(ref), patch as object, options, patchTypes[type]),
    apply: (resource, object, options: ApplyOptions) => {
      const force = options.force === true ? "true" : undefined
      const type = "application/apply-patch+yaml"
      return write("PATCH", homeOf(resource, object), object, options, type, { force })
    },
    delete: async (ref, options) => {
      const headers = { "setpoint-return": "object" }
      const body = deleteBody(options)
      return asObject(await connection.call({ method: "DELETE", path: pathOf(ref), body, headers }))
    },
    deleteCollection: async (resource, options = {}) => {
      const path = `${collectionPath(resource, options.namespace)}${queryText(listQuery(options))}`
      const { resourceVersion: _r, preconditions, ...rest } = options
      const body = deleteBody({ ...rest, ...preconditions })
      return asList(await connection.call({ method: "DELETE", path, body }))
    },
  }
}

const pathOf = (ref: ObjectRef): string => objectPath(ref, ref.namespace, ref.name)

const homeOf = (resource: ResourceRef, { metadata }: ApiObject, subresource?: string): string =>
  objectPath(resource, metadata.namespace ?? "", metadata.name, subresource)

function listQuery(options: ListOptions): Record<string, string | undefined> {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit?.toString(),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  }
}

function writeQuery(options: WriteOptions): Record<string, string | undefined> {
  return {
    dryRun: options.dryRun === true ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  }
}

function deleteBody(options: DeleteOptions = {}): object {
  const { uid, resourceVersion, propagationPolicy } = options
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(options.dryRun === true ? { dryRun: ["All"] } : {}),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    preconditions: { uid, resourceVersion },
  }
}

function unreadable(why: string): Error {
  return clientFault("SPT-CLIENT-003", { where: "the plane", why })
}

function asObject(value: Json): ApiObject {
  if (!isObject(value) || !isObject(value.metadata)) throw unreadable("it is no object")
  return value as Partial<ApiObject> as ApiObject
}

function asList(value: Json): ObjectList {
  if (!isObject(value) || !isArray(value.items)) throw unreadable("it is no list")
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const { continue: token, resourceVersion } = metadata
  return {
    items: value.items.map(asObject),
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    ...(typeof token === "string" && token !== "" ? { continue: token } : {}),
  }
}
