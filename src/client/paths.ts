// The paths of Kubernetes' API: /api/v1/... for the core group, /apis/GROUP/VERSION/... for others.

import type { ResourceRef } from "../object/object.ts"

export function collectionPath(resource: ResourceRef, namespace: string | undefined): string {
  const { group, version } = resource
  const root = group === "" ? `/api/${version}` : `/apis/${encode(group)}/${encode(version)}`
  const scope = namespace ? `/namespaces/${encode(namespace)}` : ""
  return `${root}${scope}/${encode(resource.resource)}`
}

export function objectPath(
  resource: ResourceRef,
  namespace: string,
  name: string,
  subresource?: string,
): string {
  const path = `${collectionPath(resource, namespace)}/${encode(name)}`
  return subresource === undefined ? path : `${path}/${encode(subresource)}`
}

/** "?a=1&b=2" without what is undefined; "" when nothing is left. */
export function queryText(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) if (value !== undefined) query.set(key, value)
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

const encode = encodeURIComponent
