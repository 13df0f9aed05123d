// Notifiers: exactly one address, a template that can be filled in, headers that may be set.
// Whoever lets a message carry a value of a Secret, to an address of their choice, could read it:
// so they must be allowed to.

import { at, isArray, isObject, type Json } from "../../base/json.ts"
import type { Admission, AdmissionRequest } from "../../contract/admission.ts"
import type { Authorizer } from "../../contract/authorizer.ts"
import { templateIssue } from "../../contract/message-template.ts"
import { isFromOutside } from "../../contract/principal.ts"
import { setpointGroup } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"
import { forbidden } from "../http/forbidden.ts"
import { invalidFault } from "../validate-object.ts"

export function notifierAdmission(authorizer: Authorizer): Admission {
  return {
    admit: (request) => {
      const { key, object, operation, subresource, kind } = request
      const isOurs = key.group === setpointGroup && key.resource === "notifiers"
      if (!isOurs || operation === "delete" || subresource === "status") return object
      const webhook = at(object.spec, "webhook")
      const causes = [...checkAddress(webhook), ...checkTemplate(webhook), ...checkHeaders(webhook)]
      if (causes.length > 0) throw invalidFault(kind, key.name, causes)
      if (isFromOutside(request.principal)) checkSecrets(request, authorizer, webhook)
      return object
    },
  }
}

const invalid = (field: string, message: string): FieldCause => ({
  field: `spec.webhook.${field}`,
  reason: "FieldValueInvalid",
  message,
})

function checkAddress(webhook: Json | undefined): FieldCause[] {
  const url = at(webhook, "url")
  if ((url === undefined) === (at(webhook, "urlFrom") === undefined)) {
    return [invalid("url", "either url or urlFrom says where messages go")]
  }
  if (typeof url !== "string") return []
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !["https:", "http:"].includes(parsed.protocol)) {
    return [invalid("url", "must be an https or http URL")]
  }
  const hasLogin = parsed.username !== "" || parsed.password !== ""
  return hasLogin ? [invalid("url", "must hold no password: put the address into urlFrom")] : []
}

function checkTemplate(webhook: Json | undefined): FieldCause[] {
  const [format, template] = [at(webhook, "format"), at(webhook, "template")]
  if (format !== "Template") {
    return template === undefined ? [] : [invalid("template", "counts only with format: Template")]
  }
  if (typeof template !== "string") return [invalid("template", "is missing")]
  const issue = templateIssue(template, String(at(webhook, "contentType") ?? "application/json"))
  return issue === undefined ? [] : [invalid("template", issue)]
}

const headerForm = /^[A-Za-z0-9-]{1,100}$/
/** Those that say how the message is carried. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...["host", "connection", "content-length", "content-type", "transfer-encoding"],
  ...["te", "trailer", "upgrade", "expect", "user-agent", "setpoint-signature"],
])

function checkHeaders(webhook: Json | undefined): FieldCause[] {
  const given = at(webhook, "headersFrom")
  return (isArray(given) ? given : []).flatMap((one) => {
    const header = String(at(one, "header") ?? "")
    const taken = ownHeaders.has(header.toLowerCase()) || !headerForm.test(header)
    return taken ? [invalid("headersFrom", `"${header.slice(0, 100)}" can't be set`)] : []
  })
}

function checkSecrets(
  { key, principal }: AdmissionRequest,
  authorizer: Authorizer,
  webhook: Json | undefined,
): void {
  for (const name of secretNames(webhook)) {
    const place = { group: "", resource: "secrets", subresource: "", namespace: key.namespace }
    const access = { verb: "get", ...place, name }
    if (authorizer.authorize(principal, access).allowed) continue
    throw forbidden(principal, access, "a message would carry its value")
  }
}

function secretNames(webhook: Json | undefined): string[] {
  const headers = at(webhook, "headersFrom")
  const refs = [
    ...[at(webhook, "urlFrom"), at(webhook, "signingKeyFrom")],
    ...(isArray(headers) ? headers.map((one) => at(one, "valueFrom")) : []),
  ]
  return refs.flatMap((ref) => (isObject(ref) && typeof ref.name === "string" ? [ref.name] : []))
}
