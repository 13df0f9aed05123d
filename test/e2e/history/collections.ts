// What the clients of a history write to: ConfigMaps and objects of a definition, of which only the
// data and one label matter.

import type { Key, Selection, Stored } from "./history.ts"

export const namespaces = ["one", "two"] as const

export const collections = {
  configmaps: { root: "/api/v1", apiVersion: "v1", kind: "ConfigMap" },
  gadgets: { root: "/apis/history.dev/v1", apiVersion: "history.dev/v1", kind: "Gadget" },
} as const
export type Collection = keyof typeof collections
export const isCollection = (name: string): name is Collection => name in collections

export const gadgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.history.dev" },
  spec: {
    group: "history.dev",
    scope: "Namespaced",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { data: { type: "object", additionalProperties: { type: "string" } } },
          },
        },
      },
    ],
  },
}

/** The one of each namespace that others may go with. */
const ownerName = "k0"
export const ownerOf = (key: Key): Key => `${key.slice(0, key.lastIndexOf("/"))}/${ownerName}`

/** What an object of the server looks like. */
export interface Wired {
  readonly metadata: {
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly uid: string }[]
  }
  readonly data?: Readonly<Record<string, string>>
}

export const keyOf = (collection: Collection, { metadata }: Wired): Key =>
  `${collection}/${metadata.namespace}/${metadata.name}`

/** What the plane itself keeps in every namespace is none of ours. */
export const isOurs = ({ metadata }: Wired): boolean => /^k\d+$/.test(metadata.name ?? "")

export function storedOf({ metadata, data = {} }: Wired): Stored {
  const team = metadata.labels?.team
  const { uid = "", resourceVersion } = metadata
  const owner = metadata.ownerReferences?.[0]?.uid
  return {
    ...{ uid, revision: Number(resourceVersion), data },
    ...(team === undefined ? {} : { team }),
    ...(owner === undefined ? {} : { owner }),
  }
}

export function wiredOf(
  key: Key,
  data: Stored["data"],
  {
    team,
    revision,
    owner,
  }: { readonly team?: string; readonly revision?: number; readonly owner?: string } = {},
): object {
  const [collection = "", namespace, name] = key.split("/")
  if (!isCollection(collection)) throw new Error(`no collection ${collection}`)
  const { apiVersion, kind } = collections[collection]
  const metadata = {
    ...{ name, namespace },
    ...(team === undefined ? {} : { labels: { team } }),
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion, kind, name: ownerName, uid: owner }] }),
  }
  return { apiVersion, kind, metadata, data }
}

export function pathOf(key: Key): string {
  const [collection = "", namespace, name] = key.split("/")
  return `${pathOfSelection({ collection, ...(namespace ? { namespace } : {}) })}/${name}`
}

export function pathOfSelection({ collection, namespace }: Selection): string {
  if (!isCollection(collection)) throw new Error(`no collection ${collection}`)
  const { root } = collections[collection]
  return namespace === undefined
    ? `${root}/${collection}`
    : `${root}/namespaces/${namespace}/${collection}`
}

export function queryOf({ name, team }: Selection): URLSearchParams {
  const query = new URLSearchParams()
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${name}`)
  if (team !== undefined) query.set("labelSelector", `team${team.is ? "=" : "!="}${team.value}`)
  return query
}
