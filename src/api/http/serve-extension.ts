// A request for a path that is no verb. Its body is read first, because it may name what is asked
// for; nothing is looked up before the caller is allowed.

import type { Access, Authorizer } from "../../contract/authorizer.ts"
import type { Principal } from "../../contract/principal.ts"
import type { MatchedRoute } from "../extensions.ts"
import type { Answer } from "./answer.ts"
import type { ApiRequest } from "./exchange.ts"
import { forbidden } from "./forbidden.ts"
import { readBody } from "./read-body.ts"

export interface ExtensionCall {
  readonly api: { readonly authorizer: Authorizer }
  readonly request: ApiRequest
  readonly method: string
  readonly principal: Principal
  readonly extension: MatchedRoute
  /** What the path says, when the route does not. */
  readonly access: Access
}

export async function serveExtension(call: ExtensionCall): Promise<Answer> {
  const { request, method, principal, extension } = call
  const body = method === "GET" ? undefined : await readBody(request)
  const wanted = extension.access(body) ?? [call.access]
  const may = (access: Access) => call.api.authorizer.authorize(principal, access).allowed
  const [first] = wanted
  if (first !== undefined && !wanted.some(may)) {
    throw extension.onlyPeople(principal, body) ?? forbidden(principal, first, "")
  }
  return { status: extension.status, body: (await extension.run(principal, body)) as object }
}
