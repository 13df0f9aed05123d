// The kind Balancer: a TCP load balancer in front of a ProcessSet, itself kept running.

import type { CompositeKind } from "../../../contract/composite.ts"
import { defineComposite } from "../../../provider/define-composite.ts"
import { setGroup } from "../set/replica.ts"
import { balancerSpec } from "./balancer-spec.ts"
import { composeBalancer } from "./compose-balancer.ts"

export interface BalancerKindOptions {
  /** How this Setpoint is started: a program and its first arguments. */
  readonly program: readonly string[]
}

export function balancerKind({ program }: BalancerKindOptions): CompositeKind {
  return defineComposite({
    group: setGroup,
    version: "v1",
    kind: "Balancer",
    description:
      "A TCP load balancer that sends clients to the ready replicas of a ProcessSet, and goes on " +
      "without the plane.",
    spec: balancerSpec,
    children: [
      { group: setGroup, kind: "ProcessSet" },
      { group: "host.setpoint.dev", kind: "File" },
    ],
    related: [
      { group: setGroup, kind: "Process" },
      { group: setGroup, kind: "Balancer" },
    ],
    printerColumns: [
      { name: "Address", type: "string", jsonPath: ".status.address" },
      { name: "Backends", type: "integer", jsonPath: ".status.backends" },
      { name: "Balancers", type: "integer", jsonPath: ".status.balancers" },
    ],
    compose: (input) => composeBalancer(input, program),
  })
}
