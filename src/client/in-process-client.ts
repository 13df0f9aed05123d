// The client of code that runs inside the plane: the same verbs, admission and rules as HTTP, as
// one principal that is fixed when the client is made.

import type { Client } from "../contract/client.ts"
import type { Principal } from "../contract/principal.ts"
import type { ExtensionCalls, Verbs } from "../contract/verbs.ts"
import { clientFault } from "./faults.ts"

export function inProcessClient(
  verbs: Verbs,
  principal: Principal,
  extensions?: ExtensionCalls,
): Client {
  return {
    get: (ref) => verbs.get(principal, ref),
    list: (resource, options) => verbs.list(principal, resource, options),
    watch: (resource, options) => verbs.watch(principal, resource, options),
    create: async (resource, object, options) =>
      (await verbs.create(principal, resource, object, options)).object,
    update: async (resource, object, options) =>
      (await verbs.update(principal, resource, object, options)).object,
    updateStatus: async (resource, object) =>
      (await verbs.updateStatus(principal, resource, object)).object,
    patch: async (ref, type, patch, options) =>
      (await verbs.patch(principal, ref, type, patch, options)).object,
    apply: async (resource, object, options) =>
      (await verbs.apply(principal, resource, object, options)).object,
    delete: async (ref, options) => (await verbs.delete(principal, ref, options)).object,
    deleteCollection: (resource, options) => verbs.deleteCollection(principal, resource, options),
    call: async (method, path, body) => {
      const answer = extensions?.call(principal, method, path, body)
      if (answer === undefined) throw clientFault("SPT-CLIENT-001", { path })
      return answer
    },
  }
}
