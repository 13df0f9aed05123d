// Where objects live in the store: `/registry/<group or core>/<resource>/<namespace or ->/<name>`.
// The only file that knows this form.

import type { ObjectKey } from "../object/object.ts"

export const registryPrefix = "/registry/"
const coreGroup = "core"
const clusterScope = "-"

/** Every object of one resource; with a namespace, those in it. */
export function resourcePrefix(group: string, resource: string, namespace?: string): string {
  const all = `${registryPrefix}${group === "" ? coreGroup : group}/${resource}/`
  return namespace === undefined || namespace === "" ? all : `${all}${namespace}/`
}

export function storageKey(key: ObjectKey): string {
  const scope = key.namespace === "" ? clusterScope : key.namespace
  return `${resourcePrefix(key.group, key.resource)}${scope}/${key.name}`
}

/** Undefined when the text is not an object's key. */
export function parseStorageKey(text: string): ObjectKey | undefined {
  if (!text.startsWith(registryPrefix)) return undefined
  const parts = text.slice(registryPrefix.length).split("/")
  const [group, resource, namespace, name] = parts
  if (parts.length !== 4 || !group || !resource || !namespace || !name) return undefined
  return {
    group: group === coreGroup ? "" : group,
    resource,
    namespace: namespace === clusterScope ? "" : namespace,
    name,
  }
}
