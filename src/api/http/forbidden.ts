// The refusal of a role check, worded as Kubernetes does.

import type { Access } from "../../contract/authorizer.ts"
import type { Principal } from "../../contract/principal.ts"
import { apiFault } from "../faults.ts"

export function forbidden({ name: user }: Principal, access: Access, reason: string): Error {
  const { verb, group, namespace, name, subresource, path } = access
  const why = reason === "" ? "" : `: ${reason}`
  if (path !== undefined) {
    const what = `forbidden: User "${user}" cannot ${verb} path "${path}"${why}`
    return apiFault("SPT-API-029", { what })
  }
  const resource = subresource === "" ? access.resource : `${access.resource}/${subresource}`
  const full = group === "" ? access.resource : `${access.resource}.${group}`
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`
  const what =
    `${full}${name === "" ? "" : ` "${name}"`} is forbidden: User "${user}" cannot ${verb} ` +
    `resource "${resource}" in API group "${group}" ${where}${why}`
  return apiFault("SPT-API-029", { what, name, group, resource: access.resource })
}
