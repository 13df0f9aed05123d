// Notifiers: where messages go when something needs a person, and how they look. People, services
// and sources write them; the engine writes their status.

import { alarmTypes } from "../../contract/notification.ts"
import { type ApiObject, setpointGroup, setpointVersion } from "../../object/object.ts"
import { conditions, defineBuiltIn, duration, flag, list, object, text } from "./define.ts"

const name = text({ minLength: 1, maxLength: 253 })
/** A key of a Secret in the same namespace. */
const secretKey = object({ name, key: name }, { required: ["name", "key"] })

const webhook = object({
  url: text({ minLength: 8, maxLength: 2000 }),
  urlFrom: secretKey,
  /** Json: all facts. Slack: what Slack, Mattermost and others take. Or a template of one's own. */
  format: text({ enum: ["Json", "Slack", "Template"], default: "Json" }),
  template: text({ minLength: 1, maxLength: 20_000 }),
  contentType: text({ default: "application/json", minLength: 3, maxLength: 200 }),
  headersFrom: list(
    object({ header: name, valueFrom: secretKey }, { required: ["header", "valueFrom"] }),
    { default: [], maxItems: 10 },
  ),
  /** Signs every message. */
  signingKeyFrom: secretKey,
})

export const notifierDefinition: ApiObject = defineBuiltIn({
  group: setpointGroup,
  version: setpointVersion,
  kind: "Notifier",
  plural: "notifiers",
  namespaced: true,
  status: true,
  columns: [
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Firing", type: "integer", jsonPath: ".status.count" },
    { name: "Last sent", type: "date", jsonPath: ".status.lastSentAt" },
    { name: "Message", type: "string", jsonPath: ".status.message" },
  ],
  schema: object(
    {
      spec: object(
        {
          webhook,
          on: list(text({ enum: [...alarmTypes] }), {
            default: [...alarmTypes],
            minItems: 1,
            maxItems: alarmTypes.length,
          }),
          /** Loops of this namespace by name, NAMESPACE.NAME in setpoint-system; all when empty. */
          loops: list(name, { default: [], maxItems: 100 }),
          /** So long it must be so before it is told. */
          for: duration({ default: "10s" }),
          /** Told again so often while it stays so; never when missing. */
          repeat: duration(),
          resolved: flag({ default: true }),
        },
        { required: ["webhook"] },
      ),
      status: object({ conditions }, { "x-kubernetes-preserve-unknown-fields": true }),
    },
    { required: ["spec"] },
  ),
})
