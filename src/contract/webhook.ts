// A call to a webhook: one JSON document there, one back. The network is behind this port, so that
// conversion and admission stay free of it.

import type { Json } from "../base/json.ts"

/** Where it is, as Kubernetes' clientConfig says: a URL, or a service by name. */
export interface WebhookClient {
  readonly url: string
  /** PEM of the authorities that may have signed its certificate; the system's when undefined. */
  readonly authorities?: string
}

export interface WebhookCall {
  readonly client: WebhookClient
  readonly body: Json
  readonly timeoutMs: number
}

/** Rejects with a sentence that says why there is no answer. Never follows a redirect. */
export type CallWebhook = (call: WebhookCall) => Promise<Json>
