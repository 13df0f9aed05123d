// Validating webhooks: all at once, since none of them changes anything; of several denials the
// first by name is told.

import type { AdmissionRequest } from "../../../contract/admission.ts"
import type { ApiContext } from "../../api-context.ts"
import { askWebhook } from "./ask-webhook.ts"
import type { Webhook } from "./webhook.ts"

export async function validateByWebhooks(
  context: ApiContext,
  hooks: readonly Webhook[],
  request: AdmissionRequest,
): Promise<void> {
  const answers = await Promise.allSettled(
    hooks.map((hook) => askWebhook(context, hook, request, false)),
  )
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason
}
