// POST serviceaccounts/NAME/token: a token of a service account, for whom a role allows to ask.

import { toTimestamp } from "../../base/clock.ts"
import { isObject, type Json, toPlainJson } from "../../base/json.ts"
import { enginePrincipal } from "../../contract/principal.ts"
import type { Verbs } from "../../contract/verbs.ts"
import type { ExtensionRoute } from "../extensions.ts"
import { apiFault } from "../faults.ts"
import { type AccountTokens, readAudiences } from "./account-tokens.ts"

const secondsMin = 600
const secondsMax = 366 * 86_400
const secondsUsual = 3600

export function tokenRequestRoute(tokens: AccountTokens, verbs: Verbs): ExtensionRoute {
  return {
    method: "POST",
    pattern: "/api/v1/namespaces/:namespace/serviceaccounts/:name/token",
    status: 201,
    handler: async (_principal, { namespace = "", name = "" }, query, body) => {
      const resource = { group: "", version: "v1", resource: "serviceaccounts" }
      const account = await verbs.get(enginePrincipal, { ...resource, namespace, name })
      if (account === undefined || account.metadata.deletionTimestamp !== undefined) {
        throw apiFault("SPT-API-001", { resource: "serviceaccounts", name, group: "" })
      }
      const { audiences, seconds } = readSpec(body, name)
      const spec = { audiences, expirationSeconds: seconds, boundObjectRef: null }
      const metadata = { name, namespace, creationTimestamp: null }
      const base = { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", metadata, spec }
      if (query.has("dryRun")) return toPlainJson({ ...base, status: { token: "" } })
      const { token, expires } = await tokens.issue({ account, audiences, seconds })
      const status = { token, expirationTimestamp: toTimestamp(expires) }
      return toPlainJson({ ...base, status })
    },
  }
}

function readSpec(body: Json | undefined, name: string) {
  const given = isObject(body) && isObject(body.spec) ? body.spec : {}
  const refuse = (why: string) =>
    apiFault("SPT-API-005", { kind: "TokenRequest", name, why, causes: "[]" })
  const audiences = readAudiences(given.audiences)
  if (audiences === undefined) throw refuse("spec.audiences: must be texts, at most 20")
  if (isObject(given.boundObjectRef)) {
    throw refuse("spec.boundObjectRef: tokens are bound to their account only")
  }
  const seconds = Number(given.expirationSeconds ?? secondsUsual)
  if (!Number.isSafeInteger(seconds) || seconds < secondsMin) {
    throw refuse("spec.expirationSeconds: may not specify a duration less than 10 minutes")
  }
  if (seconds > secondsMax) throw refuse("spec.expirationSeconds: at most 366 days")
  return { audiences, seconds }
}
