import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { admissionBindingRules, admissionPolicyRules } from "./admission-policy-rules.ts"
import type { KindRules } from "./kind-rules.ts"
import { webhookConfigurationRules } from "./webhook-configuration-rules.ts"

function causes({ check }: KindRules, members: JsonObject): string[] {
  const metadata = { name: "one" }
  const object: ApiObject = { apiVersion: "v1", kind: "Any", metadata, ...members }
  return (check?.(object, undefined) ?? []).map(({ field, message }) => `${field}: ${message}`)
}

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["notes"] }
const hook = {
  name: "a.test.dev",
  clientConfig: { url: "https://hook.test/path" },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
}
const hooks = (...more: readonly JsonObject[]) =>
  causes(webhookConfigurationRules, { webhooks: more.map((one) => ({ ...hook, ...one })) })

describe("a webhook configuration", () => {
  it("is taken when it is right", () => {
    expect(hooks({})).toEqual([])
    const service = { namespace: "a", name: "b", path: "/c/d", port: 8443 }
    expect(hooks({ clientConfig: { service } })).toEqual([])
  })

  it.each<[string, JsonObject, RegExp]>([
    ["a short name", { name: "hook" }, /webhooks\[0\]\.name: .*at least three segments/],
    ["plain HTTP", { clientConfig: { url: "http://a/" } }, /url: .*'https' is the only allowed/],
    ["no place", { clientConfig: {} }, /clientConfig: .*exactly one of url or service/],
    ["a query", { clientConfig: { url: "https://a/?b" } }, /query parameters are not permitted/],
    ["a user", { clientConfig: { url: "https://u:p@a/" } }, /user information is not permitted/],
    ["31 seconds", { timeoutSeconds: 31 }, /must be between 1 and 30 seconds/],
    ["an old review", { admissionReviewVersions: ["v1beta1"] }, /must include at least one of v1/],
    [
      "all and some",
      { rules: [{ ...rule, apiGroups: ["*", "a"] }] },
      /not specify other API groups/,
    ],
    ["no resources", { rules: [{ ...rule, resources: [] }] }, /rules\[0\]\.resources: Required/],
    ["twice covered", { rules: [{ ...rule, resources: ["a/*", "a/b"] }] }, /if 'a\/\*' is present/],
    [
      "everything twice",
      { rules: [{ ...rule, resources: ["*/*", "a"] }] },
      /if '\*\/\*' is present/,
    ],
    [
      "an odd selector",
      { objectSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
      /operator: Invalid value: "Is": not a valid selector operator/,
    ],
    [
      "an expression that is none",
      { matchConditions: [{ name: "a", expression: "object.(" }] },
      /matchConditions\[0\]\.expression: .*compilation failed/,
    ],
    [
      "an expression over nothing",
      { matchConditions: [{ name: "a", expression: "params.a == 1" }] },
      /undeclared reference to 'params'/,
    ],
  ])("is refused with %s", (_, more, expected) => {
    expect(hooks(more).join("\n")).toMatch(expected)
  })

  it("has each name once", () => {
    expect(hooks({}, {})).toEqual(['webhooks[1].name: Duplicate value: "a.test.dev"'])
  })
})

const constraints = { resourceRules: [rule] }
const policy = (more: JsonObject) =>
  causes(admissionPolicyRules, {
    spec: { matchConstraints: constraints, validations: [{ expression: "true" }], ...more },
  })

describe("an admission policy", () => {
  it("is taken when it is right", () => {
    expect(policy({})).toEqual([])
    const variables = [
      { name: "a", expression: "object.spec.size" },
      { name: "b", expression: "variables.a + 1" },
    ]
    const paramKind = { apiVersion: "a.dev/v1", kind: "Limit" }
    const expression = "variables.b < params.max && authorizer.path('/x').check('get').allowed()"
    expect(policy({ variables, paramKind, validations: [{ expression }] })).toEqual([])
  })

  it.each<[string, JsonObject, RegExp]>([
    ["no constraints", { matchConstraints: undefined }, /spec\.matchConstraints: Required value/],
    ["no rules", { matchConstraints: {} }, /matchConstraints\.resourceRules: Required value/],
    ["no validations", { validations: [] }, /must contain at least one item/],
    ["no parameters", { validations: [{ expression: "params.a == 1" }] }, /reference to 'params'/],
    ["a number", { validations: [{ expression: "1 + 1" }] }, /must evaluate to bool but got int/],
    [
      "an unknown variable",
      { validations: [{ expression: "variables.a" }] },
      /undefined field 'a'/,
    ],
    [
      "a variable that looks ahead",
      {
        variables: [
          { name: "a", expression: "variables.b" },
          { name: "b", expression: "1" },
        ],
      },
      /variables\[0\]\.expression: .*undefined field 'b'/,
    ],
    ["an odd name", { variables: [{ name: "a-b", expression: "1" }] }, /valid CEL identifier/],
    [
      "an unknown part of the request",
      { validations: [{ expression: "request.nothing == 1" }] },
      /undefined field 'nothing'/,
    ],
    [
      "a message of several lines",
      { validations: [{ expression: "true", message: "a\nb" }] },
      /must not contain line breaks/,
    ],
    [
      "a message that asks who may",
      {
        validations: [
          { expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" },
        ],
      },
      /undeclared reference to 'authorizer'/,
    ],
    ["half a kind", { paramKind: { apiVersion: "v1" } }, /spec\.paramKind\.kind: Required value/],
  ])("is refused with %s", (_, more, expected) => {
    expect(policy(more).join("\n")).toMatch(expected)
  })
})

const binding = (more: JsonObject) =>
  causes(admissionBindingRules, {
    spec: { policyName: "p", validationActions: ["Deny"], ...more },
  })

describe("a binding", () => {
  it.each<[string, JsonObject, RegExp]>([
    ["no policy", { policyName: "" }, /spec\.policyName: Required value/],
    ["no action", { validationActions: [] }, /at least one validation action is required/],
    ["two voices", { validationActions: ["Deny", "Warn"] }, /must not contain both Deny and Warn/],
    ["nothing to find", { paramRef: {} }, /one of name or selector must be specified/],
    ["two ways", { paramRef: { name: "a", selector: {} } }, /mutually exclusive/],
    ["no way out", { paramRef: { name: "a" } }, /parameterNotFoundAction: Required value/],
  ])("is refused with %s", (_, more, expected) => {
    expect(binding({})).toEqual([])
    expect(binding(more).join("\n")).toMatch(expected)
  })
})
