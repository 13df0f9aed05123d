// The kind Balancer of a real plane: its processes run the very program that this plane runs.

import { moduleBeside, ownCommand } from "../../base/parts.ts"
import { balancerKind } from "../../providers/process/balancer/balancer.ts"

const main = moduleBeside("../../cli/main", import.meta.url)

export const localBalancer = balancerKind({ program: ownCommand(main) })
