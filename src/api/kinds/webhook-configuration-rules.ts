// Webhook configurations beyond their schema: names, where the webhook is, what it is asked about.

import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { objects, texts } from "../admission/match/match-rule.ts"
import type { FieldCause } from "../faults.ts"
import { isDnsLabel, isSubdomain } from "../metadata-rules.ts"
import {
  badValue,
  checkConditions,
  checkRules,
  checkSelector,
  duplicate,
  missing,
} from "./admission-match-rules.ts"
import { required } from "./cause.ts"
import type { KindRules } from "./kind-rules.ts"

export const webhookConfigurationRules: KindRules = {
  check: (object) => {
    const { webhooks } = object
    const given = Array.isArray(webhooks) ? objects(webhooks) : []
    const names = given.map(({ name }) => name)
    return given.flatMap((hook, index) => {
      const at = `webhooks[${index}]`
      const repeated = typeof hook.name === "string" && names.indexOf(hook.name) < index
      return [
        ...checkWebhook(hook, at),
        ...(repeated ? [duplicate(`${at}.name`, String(hook.name))] : []),
      ]
    })
  },
}

function checkWebhook(hook: JsonObject, at: string): FieldCause[] {
  const { timeoutSeconds: seconds } = hook
  const tooLong = typeof seconds === "number" && (seconds < 1 || seconds > 30)
  const why = "the timeout value must be between 1 and 30 seconds"
  return [
    ...checkName(hook.name, `${at}.name`),
    ...checkRules(hook.rules, `${at}.rules`),
    ...(tooLong ? [badValue(`${at}.timeoutSeconds`, seconds, why)] : []),
    ...checkSelector(hook.namespaceSelector, `${at}.namespaceSelector`),
    ...checkSelector(hook.objectSelector, `${at}.objectSelector`),
    ...checkClient(hook.clientConfig, `${at}.clientConfig`),
    ...checkConditions(hook.matchConditions, `${at}.matchConditions`, false),
    ...checkVersions(texts(hook.admissionReviewVersions), `${at}.admissionReviewVersions`),
  ]
}

function checkName(name: Json | undefined, field: string): FieldCause[] {
  if (typeof name !== "string" || name === "") return [required(field)]
  if (!isSubdomain(name)) return [badValue(field, name, "must be a lower case RFC 1123 subdomain")]
  if (name.split(".").length >= 3) return []
  const why = "should be a domain with at least three segments separated by dots"
  return [badValue(field, name, why)]
}

/** The plane speaks v1 alone. */
function checkVersions(versions: readonly string[], field: string): FieldCause[] {
  if (versions.length === 0) return [missing(field, "must specify one of v1")]
  const repeated = versions.findIndex((one, index) => versions.indexOf(one) < index)
  const wrong = versions.findIndex((one) => !isDnsLabel(one))
  return [
    ...(repeated < 0
      ? []
      : [badValue(`${field}[${repeated}]`, versions[repeated] ?? "", "duplicate version")]),
    ...(wrong < 0
      ? []
      : [badValue(`${field}[${wrong}]`, versions[wrong] ?? "", "is no name of a version")]),
    ...(versions.includes("v1")
      ? []
      : [badValue(field, versions, "must include at least one of v1")]),
  ]
}

const form = "; desired format: https://host[/path]"

function checkClient(config: Json | undefined, field: string): FieldCause[] {
  const { url, service } = isObject(config) ? config : {}
  if ((url === undefined) === (service === undefined)) {
    return [missing(field, "exactly one of url or service is required")]
  }
  return url === undefined
    ? checkService(service, `${field}.service`)
    : checkUrl(url, `${field}.url`)
}

function checkUrl(url: Json, field: string): FieldCause[] {
  if (typeof url !== "string" || !URL.canParse(url)) {
    return [missing(field, `url must be a valid URL${form}`)]
  }
  const { protocol, host, username, password, hash, search } = new URL(url)
  const scheme = protocol.replace(":", "")
  const causes: FieldCause[] = []
  if (scheme !== "https") {
    causes.push(badValue(field, scheme, `'https' is the only allowed URL scheme${form}`))
  }
  if (host === "") causes.push(badValue(field, host, `host must be specified${form}`))
  if (username !== "" || password !== "") {
    causes.push(badValue(field, "***", "user information is not permitted in the URL"))
  }
  if (hash !== "") causes.push(badValue(field, hash, "fragments are not permitted in the URL"))
  if (search !== "") {
    causes.push(badValue(field, search, "query parameters are not permitted in the URL"))
  }
  return causes
}

function checkService(service: Json | undefined, field: string): FieldCause[] {
  const { namespace, name, port, path } = isObject(service) ? service : {}
  const causes: FieldCause[] = []
  if (name === "") causes.push(required(`${field}.name`))
  if (namespace === "") causes.push(required(`${field}.namespace`))
  if (typeof port === "number" && (port < 1 || port > 65_535)) {
    const why = "port is not valid: must be between 1 and 65535, inclusive"
    causes.push(badValue(`${field}.port`, port, why))
  }
  return [...causes, ...checkPath(path, `${field}.path`)]
}

function checkPath(path: Json | undefined, field: string): FieldCause[] {
  if (typeof path !== "string" || path === "" || path === "/") return []
  if (!path.startsWith("/")) return [badValue(field, path, "must start with a '/'")]
  const steps = path.slice(1).replace(/\/$/, "").split("/")
  return steps.flatMap((step, index) => {
    if (step === "") return [badValue(field, path, `segment[${index}] may not be empty`)]
    if (isSubdomain(step)) return []
    return [badValue(field, path, `segment[${index}]: a lower case RFC 1123 subdomain is needed`)]
  })
}
