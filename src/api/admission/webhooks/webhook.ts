// A webhook as its configuration describes it, made ready to be asked.

import { isObject, type JsonObject } from "../../../base/json.ts"
import type { WebhookClient } from "../../../contract/webhook.ts"
import type { ApiObject } from "../../../object/object.ts"
import { webhookClient } from "../../webhook-client.ts"
import { type MatchConditions, readConditions } from "../match/match-conditions.ts"
import { type Criteria, readCriteria } from "../match/match-request.ts"
import { objects } from "../match/match-rule.ts"

export interface Webhook {
  readonly configuration: string
  readonly name: string
  readonly criteria: Criteria
  readonly conditions: MatchConditions
  /** Undefined when its configuration does not say whom to call. */
  readonly client: WebhookClient | undefined
  /** Whether a webhook that can't be asked is passed over. */
  readonly ignored: boolean
  readonly timeoutSeconds: number
  /** Whether it is asked once more when a later one changes the object. */
  readonly again: boolean
}

/** One without rules is about nothing. */
export function readWebhooks(configuration: ApiObject): Webhook[] {
  const { webhooks } = configuration
  const given = Array.isArray(webhooks) ? objects(webhooks) : []
  return given
    .map((one) => readWebhook(configuration.metadata.name, one))
    .filter(({ criteria }) => criteria.rules.length > 0)
}

function readWebhook(configuration: string, given: JsonObject): Webhook {
  const seconds = given.timeoutSeconds
  return {
    configuration,
    name: typeof given.name === "string" ? given.name : "",
    criteria: readCriteria(given),
    conditions: readConditions(given.matchConditions, false),
    client: isObject(given.clientConfig) ? webhookClient(given.clientConfig) : undefined,
    ignored: given.failurePolicy === "Ignore",
    timeoutSeconds: typeof seconds === "number" ? seconds : 10,
    again: given.reinvocationPolicy === "IfNeeded",
  }
}
