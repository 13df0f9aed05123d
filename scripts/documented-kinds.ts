// The kinds that come with Setpoint, in the order of docs/reference/kinds.md. Each has an example
// in scripts/kind-examples/KIND.yaml, which the tests read and validate.

import { systemClock, systemRandom } from "../src/base/system.ts"
import type { CompositeKind } from "../src/contract/composite.ts"
import type { KindProvider } from "../src/contract/provider.ts"
import { localProcesses } from "../src/plane/adapters/local-processes.ts"
import { dnsKinds } from "../src/providers/dns/dns-kinds.ts"
import { fileKinds } from "../src/providers/file/file-kinds.ts"
import { firewallKind } from "../src/providers/firewall/firewall-kind.ts"
import { firewallHost, networkIntent } from "../src/providers/firewall/intent/network-intent.ts"
import { hostKinds } from "../src/providers/host/host-kinds.ts"
import { balancerKind } from "../src/providers/process/balancer/balancer.ts"
import { processSet } from "../src/providers/process/set/process-set.ts"
import { quotaKinds } from "../src/providers/quota/quota-kinds.ts"

export const documentedKinds: readonly (KindProvider | CompositeKind)[] = [
  ...fileKinds({ roots: ["/"], forbidden: [] }),
  ...hostKinds(),
  ...dnsKinds({ clock: systemClock, random: systemRandom }),
  firewallKind({ stateDirectory: "/", node: "node", clock: systemClock }),
  ...[firewallHost, networkIntent],
  ...localProcesses("/"),
  processSet,
  balancerKind({ program: ["setpoint"] }),
  ...quotaKinds,
]
