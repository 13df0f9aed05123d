// Kinds that are answered and never stored: reviews of access, tokens and callers, and requests for
// the tokens of service accounts.

import type { ApiObject } from "../../object/object.ts"
import { defineBuiltIn, object, open } from "./define.ts"

const schema = object({ spec: open, status: open })

function review(group: string, kind: string, namespaced = false): ApiObject {
  return defineBuiltIn({
    ...{ group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced, schema },
    traits: { virtual: true, verbs: ["create"] },
  })
}

const authorization = "authorization.k8s.io"
const authentication = "authentication.k8s.io"

export const reviewDefinitions: readonly ApiObject[] = [
  review(authorization, "SelfSubjectAccessReview"),
  review(authorization, "SubjectAccessReview"),
  review(authorization, "LocalSubjectAccessReview", true),
  review(authorization, "SelfSubjectRulesReview"),
  review(authentication, "SelfSubjectReview"),
  review(authentication, "TokenReview"),
]
