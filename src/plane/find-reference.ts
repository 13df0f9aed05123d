// Which object a reference means, and the value of its field. The plane and a preview share it.

import { at, type Json } from "../base/json.ts"
import type { ObjectRef } from "../contract/client.ts"
import type { Reference } from "../contract/provider.ts"
import { type ApiObject, parseApiVersion } from "../object/object.ts"
import type { KindRuntime } from "../reconcile/kind-runtime.ts"

export async function findReference(
  kinds: Iterable<KindRuntime>,
  reference: Reference,
  namespace: string,
  get: (ref: ObjectRef) => Promise<ApiObject | undefined>,
): Promise<Json | undefined> {
  const { apiVersion, name, field } = reference
  const group = apiVersion === undefined ? undefined : parseApiVersion(apiVersion).group
  for (const { provider, resource } of kinds) {
    if (provider.kind !== reference.kind || provider.group !== (group ?? provider.group)) continue
    const object = await get({ ...resource, namespace: reference.namespace ?? namespace, name })
    return object === undefined ? undefined : at(object as object as Json, ...field.split("."))
  }
  return undefined
}
