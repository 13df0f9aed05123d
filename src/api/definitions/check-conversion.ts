// How objects get from one version to another: not at all beyond the name of the version, or by a
// webhook that has to be reachable over HTTPS.

import { isArray, isObject, type Json } from "../../base/json.ts"
import { type Refuse, textAt } from "./definition-parts.ts"

const field = "spec.conversion"

export function checkConversion(conversion: Json | undefined, refuse: Refuse): void {
  if (conversion === undefined) return
  const strategy = textAt(conversion, "strategy")
  const webhook = isObject(conversion) ? conversion.webhook : undefined
  if (strategy === "") {
    refuse(`${field}.strategy`, "Required value", "FieldValueRequired")
    return
  }
  if (strategy === "None") {
    if (webhook === undefined) return
    const says = "Forbidden: should not be set when strategy is not set to Webhook"
    refuse(`${field}.webhookClientConfig`, says, "FieldValueForbidden")
    return
  }
  if (strategy !== "Webhook") {
    const shown = JSON.stringify(strategy)
    const says = `Unsupported value: ${shown}: supported values: "None", "Webhook"`
    refuse(`${field}.strategy`, says, "FieldValueNotSupported")
    return
  }
  checkClient(isObject(webhook) ? webhook.clientConfig : undefined, refuse)
  checkReviewVersions(isObject(webhook) ? webhook.conversionReviewVersions : undefined, refuse)
}

function checkClient(client: Json | undefined, refuse: Refuse): void {
  const where = `${field}.webhookClientConfig`
  const required = (says: string, at = where) =>
    refuse(at, `Required value: ${says}`, "FieldValueRequired")
  if (!isObject(client)) {
    required("required when strategy is set to Webhook")
    return
  }
  const url = textAt(client, "url")
  if ((url === "") === !isObject(client.service)) {
    required("exactly one of url or service is required")
  } else if (url !== "") checkUrl(url, `${where}.url`, refuse)
  else {
    for (const name of ["name", "namespace"]) {
      if (textAt(client.service, name) !== "") continue
      required(`service ${name} is required`, `${where}.service.${name}`)
    }
  }
  const bundle = client.caBundle
  if (typeof bundle !== "string" || bundle === "") return
  if (!Buffer.from(bundle, "base64").toString("latin1").includes("-----BEGIN CERTIFICATE-----")) {
    const says = "unable to load root certificates: unable to parse bytes as PEM block"
    refuse(`${where}.caBundle`, `Invalid value: ${says}`)
  }
}

export function checkUrl(url: string, where: string, refuse: Refuse): void {
  const say = (says: string) => refuse(where, `Invalid value: ${JSON.stringify(url)}: ${says}`)
  const form = "desired format: https://host[/path]"
  if (!URL.canParse(url)) {
    say(`url must be a valid URL; ${form}`)
    return
  }
  const parsed = new URL(url)
  if (parsed.protocol !== "https:") {
    say(`'https' is the only allowed URL scheme; ${form}`)
  }
  if (parsed.username !== "" || parsed.password !== "") {
    say("user information is not permitted in the URL")
  }
  if (parsed.hash !== "") say("fragments are not permitted in the URL")
  if (parsed.search !== "") say("query parameters are not permitted in the URL")
}

function checkReviewVersions(versions: Json | undefined, refuse: Refuse): void {
  const where = `${field}.conversionReviewVersions`
  const names = isArray(versions) ? versions : []
  if (names.length === 0) {
    refuse(where, "Required value", "FieldValueRequired")
    return
  }
  if (new Set(names).size !== names.length) refuse(where, "Invalid value: duplicate version")
  if (names.includes("v1")) return
  const says = "must include at least one of v1"
  refuse(where, `Invalid value: ${JSON.stringify(names)}: ${says}`)
}
