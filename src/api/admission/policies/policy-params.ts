// The objects that a binding hands to its policy as `params`, read as they are now.

import type { ApiObject } from "../../../object/object.ts"
import type { ApiContext } from "../../api-context.ts"
import { decodeObject } from "../../codec.ts"
import { convertToServed } from "../../convert-objects.ts"
import type { ServedResource } from "../../served-resource.ts"
import { resourcePrefix } from "../../storage-keys.ts"
import { readStored } from "../../stored-object.ts"
import { selectsAll } from "../match/match-request.ts"
import type { ParamKind, ParamRef } from "./policy.ts"

/** More than these would make one write judge for too long. */
const paramsMax = 500

/** Why a binding can't be used as it is. */
export class BindingTrouble extends Error {}

/** Undefined once when there are none to hand over; empty when nothing is to be judged. */
export async function collectParams(
  context: ApiContext,
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
): Promise<readonly (ApiObject | undefined)[]> {
  if (kind === undefined || ref === undefined) return [undefined]
  const resource = findResource(context, kind)
  const namespace = namespaceOf(resource, ref, requestNamespace)
  const found =
    ref.name === ""
      ? await selected(context, resource, ref, namespace)
      : await named(context, resource, ref.name, namespace)
  if (found.length > 0 || !ref.denies) return found
  throw new BindingTrouble("no params found for policy binding with `Deny` parameterNotFoundAction")
}

function findResource({ registry }: ApiContext, { apiVersion, kind }: ParamKind): ServedResource {
  const slash = apiVersion.indexOf("/")
  const group = slash < 0 ? "" : apiVersion.slice(0, slash)
  const found = registry.findKind(group, apiVersion.slice(slash + 1), kind)
  if (found !== undefined && !found.virtual) return found
  throw new BindingTrouble(`paramKind kind \`${apiVersion}, Kind=${kind}\` not known`)
}

function namespaceOf(resource: ServedResource, ref: ParamRef, requestNamespace: string): string {
  if (!resource.namespaced) {
    if (ref.namespace === "") return ""
    const why = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
    throw new BindingTrouble(why)
  }
  const namespace = ref.namespace || requestNamespace
  if (namespace !== "") return namespace
  const why =
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
  throw new BindingTrouble(why)
}

async function named(
  context: ApiContext,
  resource: ServedResource,
  name: string,
  namespace: string,
): Promise<readonly ApiObject[]> {
  const { group, resource: plural } = resource.storedAs
  const stored = await readStored(context, { group, resource: plural, namespace, name })
  return stored === undefined ? [] : convertToServed(context, resource, [stored.object])
}

async function selected(
  context: ApiContext,
  resource: ServedResource,
  { selector }: ParamRef,
  namespace: string,
): Promise<readonly ApiObject[]> {
  const { group, resource: plural } = resource.storedAs
  const prefix = resourcePrefix(group, plural, namespace)
  const page = await context.store.range({ prefix, limit: paramsMax })
  if (page.kind === "compacted") return []
  if (page.more) throw new BindingTrouble(`there are more than ${paramsMax} objects to select from`)
  const all = page.entries.map(({ value, modRevision }) => decodeObject(value, modRevision))
  const chosen = all.filter((one) => selector === undefined || selectsAll(selector, one))
  return convertToServed(context, resource, chosen)
}
