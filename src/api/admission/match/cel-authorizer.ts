// The `authorizer` of an expression: what the roles say about who asks, or about a service account.

import type { AdmissionRequest } from "../../../contract/admission.ts"
import type { Authorizer } from "../../../contract/authorizer.ts"
import { authenticatedGroup, type Principal } from "../../../contract/principal.ts"
import { type CelAuthorizer, makeAuthorizer } from "../../../schema/cel/cel-functions-authz.ts"
import type { CelOpaque } from "../../../schema/cel/cel-opaque.ts"
import { serviceAccountName } from "../../authz/role-index.ts"

export function celAuthorizer(authorizer: Authorizer, request: AdmissionRequest): CelOpaque {
  return makeAuthorizer(authorizerFor(authorizer, request, request.principal))
}

function authorizerFor(
  authorizer: Authorizer,
  request: AdmissionRequest,
  principal: Principal,
): CelAuthorizer {
  const { group, resource, namespace, name } = request.key
  return {
    subject: principal.name,
    requestResource: { group, resource, namespace, name, subresource: request.subresource },
    check: (query) => authorizer.authorize(principal, query),
    serviceAccount: (space, account) =>
      authorizerFor(authorizer, request, accountPrincipal(space, account)),
  }
}

function accountPrincipal(namespace: string, name: string): Principal {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
  return {
    name: serviceAccountName(namespace, name),
    kind: "service",
    groups: [...groups, authenticatedGroup],
  }
}
