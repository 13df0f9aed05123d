// The composite kinds of this host: those that come with Setpoint, and those of provider modules.

import type { CompositeKind } from "../../contract/composite.ts"
import { loadComposites } from "../../provider/adapter/load-module.ts"
import { firewallHost, networkIntent } from "../../providers/firewall/intent/network-intent.ts"
import { processSet } from "../../providers/process/set/process-set.ts"
import { quotaKinds } from "../../providers/quota/quota-kinds.ts"
import { localBalancer } from "./local-balancer.ts"
import type { LocalKindOptions } from "./local-kinds.ts"

/** One line for each kind that comes with Setpoint. */
const included: readonly CompositeKind[] = [
  firewallHost,
  networkIntent,
  ...quotaKinds,
  processSet,
  localBalancer,
]

export async function localComposites(
  options: Pick<LocalKindOptions, "providers">,
): Promise<readonly CompositeKind[]> {
  return [...included, ...(await loadComposites(options.providers ?? []))]
}
