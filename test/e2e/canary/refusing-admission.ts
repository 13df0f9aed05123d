// Policies and webhooks that refuse Secrets by their names, each in another way: by judging the
// value, by failing over it, by an answer that can't be used.

import type { Client } from "../../../src/contract/client.ts"
import {
  binding,
  bindings,
  configuration,
  mutatingConfigurations,
  policies,
  policy,
  rule,
  validatingConfigurations,
  webhook,
} from "../../conformance/admission-objects.ts"
import { patching, type WebhookServer } from "../../conformance/webhook-server.ts"

const secrets = [rule(["secrets"], { operations: ["CREATE"] })]
const named = (name: string) => [
  { name: "its-name", expression: `object.metadata.name == "${name}"` },
]
const text = "object.data.a"

/** Names of Secrets that nobody lets in; what refuses each bears its name. */
export const unwanted = [
  ...["judged-by-policy", "policy-fails"],
  ...["refused-by-webhook", "patch-fails", "answer-unusable"],
] as const

export async function refuseSecrets(client: Client, server: WebhookServer): Promise<void> {
  const judges = {
    "judged-by-policy": { expression: `${text} == "x"`, messageExpression: `"it is not " + "x"` },
    "policy-fails": { expression: `int(${text}) > 1` },
  }
  for (const [name, validation] of Object.entries(judges)) {
    const spec = {
      matchConstraints: { resourceRules: secrets },
      matchConditions: named(name),
      validations: [validation],
    }
    await client.create(policies, policy(name, spec))
    await client.create(bindings, binding(name, name))
  }
  const hook = (name: string) =>
    webhook(`${name}.example.dev`, server.client(`/${name}`), {
      rules: secrets,
      matchConditions: named(name),
    })
  server.replies.set("/refused-by-webhook", () => ({
    allowed: false,
    status: { message: "no such Secrets here", code: 403 },
  }))
  server.replies.set("/patch-fails", ({ object }) =>
    patching({ op: "test", path: "/data/b", value: object?.data ?? null }),
  )
  server.replies.set("/answer-unusable", ({ object }, response) => {
    response.setHeader("content-type", "application/json")
    response.end(`${JSON.stringify(object)} is what you asked about`)
    return undefined
  })
  await client.create(
    mutatingConfigurations,
    configuration("Mutating", "changes", hook("patch-fails")),
  )
  await client.create(
    validatingConfigurations,
    configuration("Validating", "refuses", hook("refused-by-webhook"), hook("answer-unusable")),
  )
}
