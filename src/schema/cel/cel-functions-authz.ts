// Asking from inside an expression whether somebody may do something:
// `authorizer.group("apps").resource("things").namespace("a").check("create").allowed()`. Who
// answers comes in as a value; a check is dear, so that few fit into one expression.

import { type CelCall, type CelFunctions, dataArg, textArg } from "./cel-function.ts"
import { CelOpaque } from "./cel-opaque.ts"
import type { CelValue } from "./cel-value.ts"

export interface AccessQuery {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path?: string
}

export interface AccessAnswer {
  readonly allowed: boolean
  readonly reason: string
}

/** Answers for one principal. */
export interface CelAuthorizer {
  readonly subject: string
  /** What the request itself is about. */
  readonly requestResource: Omit<AccessQuery, "verb">
  check(query: AccessQuery): AccessAnswer
  serviceAccount(namespace: string, name: string): CelAuthorizer
}

type Draft = Omit<AccessQuery, "verb"> & { readonly authorizer: CelAuthorizer }

const checkCost = 350_000

export const makeAuthorizer = (authorizer: CelAuthorizer): CelOpaque =>
  new CelOpaque("authorizer", authorizer.subject, authorizer)

type DraftKind = "pathcheck" | "groupcheck" | "resourcecheck"

function makeDraft(kind: DraftKind, draft: Draft): CelOpaque {
  const { authorizer, ...query } = draft
  return new CelOpaque(kind, `${authorizer.subject} ${JSON.stringify(query)}`, draft)
}

const blank = { group: "", resource: "", subresource: "", namespace: "", name: "" }

/** `authorizer.requestResource`. */
export function requestResourceOf(value: CelOpaque): CelOpaque {
  const authorizer = value.data as CelAuthorizer
  return makeDraft("resourcecheck", { ...authorizer.requestResource, authorizer })
}

type Values = readonly CelValue[]

const authorizerArg = (name: string, [value]: Values, call: CelCall) =>
  dataArg<CelAuthorizer>(name, "authorizer", value, call)

/** `resource.namespace("a")`: the same question, narrowed. */
const narrowed = (name: "namespace" | "name" | "subresource") => ({
  arity: 2,
  apply: ([value, text]: Values, call: CelCall): CelValue => {
    const draft = dataArg<Draft>(name, "resourcecheck", value, call)
    return makeDraft("resourcecheck", { ...draft, [name]: textArg(name, text, call) })
  },
})

const answered = (name: string, read: (answer: AccessAnswer) => CelValue) => ({
  arity: 1,
  apply: ([value]: Values, call: CelCall): CelValue =>
    read(dataArg<AccessAnswer>(name, "decision", value, call)),
})

export const authzMethods: CelFunctions = {
  path: {
    arity: 2,
    apply: (values, call) => {
      const authorizer = authorizerArg("path", values, call)
      const path = textArg("path", values[1], call)
      return makeDraft("pathcheck", { ...blank, path, authorizer })
    },
  },
  group: {
    arity: 2,
    apply: (values, call) => {
      const authorizer = authorizerArg("group", values, call)
      const group = textArg("group", values[1], call)
      return makeDraft("groupcheck", { ...blank, group, authorizer })
    },
  },
  serviceAccount: {
    arity: 3,
    apply: (values, call) => {
      const authorizer = authorizerArg("serviceAccount", values, call)
      const namespace = textArg("serviceAccount", values[1], call)
      const name = textArg("serviceAccount", values[2], call)
      return makeAuthorizer(authorizer.serviceAccount(namespace, name))
    },
  },
  resource: {
    arity: 2,
    apply: ([value, text], call) => {
      const draft = dataArg<Draft>("resource", "groupcheck", value, call)
      return makeDraft("resourcecheck", { ...draft, resource: textArg("resource", text, call) })
    },
  },
  namespace: narrowed("namespace"),
  name: narrowed("name"),
  subresource: narrowed("subresource"),
  check: {
    arity: 2,
    apply: ([value, text], call) => {
      const kind = value instanceof CelOpaque && value.kind === "pathcheck"
      const draft = dataArg<Draft>("check", kind ? "pathcheck" : "resourcecheck", value, call)
      const { authorizer, ...query } = draft
      const verb = textArg("check", text, call)
      call.run.charge(checkCost, call.at)
      const answer = authorizer.check({ ...query, verb })
      return new CelOpaque("decision", `${answer.allowed} ${answer.reason}`, answer)
    },
  },
  allowed: answered("allowed", ({ allowed }) => allowed),
  reason: answered("reason", ({ reason }) => reason),
  errored: answered("errored", () => false),
  error: answered("error", () => ""),
}
