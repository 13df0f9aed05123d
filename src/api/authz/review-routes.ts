// Access reviews: may I, may they, what may I, who am I, whose token is this. Answered from the
// roles when they are created; nothing of them is stored.

import { at, isArray, isObject, type Json, type JsonObject, toPlainJson } from "../../base/json.ts"
import type { Access } from "../../contract/authorizer.ts"
import { authenticatedGroup, type Principal } from "../../contract/principal.ts"
import type { ExtensionRoute } from "../extensions.ts"
import { apiFault } from "../faults.ts"
import type { PolicyRule } from "./policy-rule.ts"
import type { RoleAuthorizer } from "./role-authorizer.ts"

export interface ReviewPorts {
  readonly roles: RoleAuthorizer
  /** Whose token that is; undefined when nobody's. */
  identify(token: string, audiences: readonly string[]): Promise<Principal | undefined>
}

const authorization = "/apis/authorization.k8s.io/v1"
const authentication = "/apis/authentication.k8s.io/v1"

export function reviewRoutes(ports: ReviewPorts): readonly ExtensionRoute[] {
  const { roles } = ports
  const review = (pattern: string, answer: (caller: Principal, spec: JsonObject) => object) =>
    post(pattern, async (caller, body) => answered(body, answer(caller, specOf(body))))
  return [
    review(`${authorization}/selfsubjectaccessreviews`, (caller, spec) =>
      judged(roles, caller, accessOf(spec)),
    ),
    review(`${authorization}/subjectaccessreviews`, (_caller, spec) =>
      judged(roles, subjectOf(spec), accessOf(spec)),
    ),
    {
      ...post(`${authorization}/namespaces/:namespace/localsubjectaccessreviews`, async () => null),
      handler: async (_caller, { namespace = "" }, _query, body) => {
        const access = accessOf(specOf(body))
        if (access.path !== undefined || access.namespace !== namespace) {
          throw bad("spec.resourceAttributes.namespace must be the namespace of the review")
        }
        return answered(body, judged(roles, subjectOf(specOf(body)), access))
      },
    },
    review(`${authorization}/selfsubjectrulesreviews`, (caller, spec) =>
      rulesView(roles.rulesFor(caller, textOf(spec.namespace))),
    ),
    review(`${authentication}/selfsubjectreviews`, (caller) => ({ userInfo: userInfo(caller) })),
    post(`${authentication}/tokenreviews`, async (_caller, body) => {
      const spec = specOf(body)
      const audiences = textsOf(spec.audiences)
      const principal = await ports.identify(textOf(spec.token), audiences)
      if (principal === undefined) return answered(withoutToken(body), { user: {} })
      const found = audiences.length === 0 ? {} : { audiences }
      const status = { authenticated: true, user: userInfo(principal), ...found }
      return answered(withoutToken(body), status)
    }),
  ]
}

function post(
  pattern: string,
  answer: (caller: Principal, body: Json | undefined) => Promise<Json>,
): ExtensionRoute {
  return {
    method: "POST",
    pattern,
    status: 201,
    handler: (caller, _params, _query, body) => answer(caller, body),
  }
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const textsOf = (value: Json | undefined): string[] =>
  isArray(value) ? value.filter((item) => typeof item === "string") : []

function bad(why: string): Error {
  return apiFault("SPT-API-006", { verb: "create", what: "the review", why })
}

function specOf(body: Json | undefined): JsonObject {
  const spec = isObject(body) ? body.spec : undefined
  return isObject(spec) ? spec : {}
}

function answered(body: Json | undefined, status: object): Json {
  const { apiVersion, kind, spec } = isObject(body) ? body : {}
  const metadata = isObject(body) && isObject(body.metadata) ? body.metadata : {}
  const asked = spec === undefined ? {} : { spec }
  return toPlainJson({ kind, apiVersion, metadata, ...asked, status })
}

/** An answer is logged and shown more easily than a question. */
function withoutToken(body: Json | undefined): Json {
  const { token: _, ...rest } = specOf(body)
  return { ...(isObject(body) ? body : {}), spec: rest }
}

function accessOf(spec: JsonObject): Access {
  const { resourceAttributes: resource, nonResourceAttributes: plain } = spec
  if (isObject(resource) === isObject(plain)) {
    throw bad("exactly one of nonResourceAttributes or resourceAttributes must be specified")
  }
  const text = (name: string) => textOf(at(isObject(resource) ? resource : plain, name))
  const verb = text("verb")
  const whole = { verb, group: text("group"), resource: text("resource") }
  const place = { namespace: text("namespace"), name: text("name") }
  const access = { ...whole, subresource: text("subresource"), ...place }
  return isObject(plain) ? { ...access, path: text("path") } : access
}

function subjectOf(spec: JsonObject): Principal {
  const [name, groups] = [textOf(spec.user), textsOf(spec.groups)]
  if (name === "" && groups.length === 0) throw bad("at least one of user or group must be given")
  return { name, kind: "service", groups }
}

function judged(roles: RoleAuthorizer, principal: Principal, access: Access): object {
  const { allowed, reason } = roles.authorize(principal, access)
  return reason === "" ? { allowed } : { allowed, reason }
}

function rulesView(rules: readonly PolicyRule[]): object {
  const resourceRules = rules
    .filter((rule) => rule.resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => {
      const names = resourceNames.length === 0 ? {} : { resourceNames }
      return { verbs, apiGroups, resources, ...names }
    })
  const nonResourceRules = rules
    .filter((rule) => rule.nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }))
  return { resourceRules, nonResourceRules, incomplete: false }
}

export function userInfo({ name, uid, groups = [], extra }: Principal): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: groups.length === 0 ? [authenticatedGroup] : groups,
    ...(extra === undefined ? {} : { extra }),
  }
}
