// Kubernetes' clientConfig as one URL and its authorities: a service becomes its name in the
// cluster's domain.

import { isObject, type Json } from "../base/json.ts"
import type { WebhookClient } from "../contract/webhook.ts"

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** Undefined when it says neither where nor whom to call. */
export function webhookClient(config: Json | undefined): WebhookClient | undefined {
  if (!isObject(config)) return undefined
  const bundle = text(config.caBundle)
  const authorities =
    bundle === "" ? {} : { authorities: Buffer.from(bundle, "base64").toString("utf8") }
  const url = text(config.url)
  if (url !== "") return { url, ...authorities }
  const { service } = config
  if (!isObject(service)) return undefined
  const port = typeof service.port === "number" ? service.port : 443
  const path = text(service.path) || "/"
  const host = `${text(service.name)}.${text(service.namespace)}.svc`
  return { url: `https://${host}:${port}${path}`, ...authorities }
}
