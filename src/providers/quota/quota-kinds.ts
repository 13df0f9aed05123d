// The kinds Tenant, GpuNode and Workload, which say what there is and what is wanted, and GpuPool,
// which makes processes of it.

import type { CompositeKind } from "../../contract/composite.ts"
import { defineComposite } from "../../provider/define-composite.ts"
import { composePool } from "./compose-pool.ts"
import { nodeSpec, poolSpec, tenantSpec, workloadSpec } from "./quota-spec.ts"
import { processGroup, quotaGroup } from "./workload-children.ts"

const version = "v1alpha1"
const group = quotaGroup

export const tenant = defineComposite({
  ...{ group, version, kind: "Tenant" },
  description: "Who may use how many GPUs of which flavor.",
  // Less quota stops programs, as a node that is out of service does.
  privileged: true,
  spec: tenantSpec,
})

export const gpuNode = defineComposite({
  ...{ group, version, kind: "GpuNode" },
  description: "A machine with GPUs; or one that is only simulated.",
  privileged: true,
  spec: nodeSpec,
  printerColumns: [
    { name: "Flavor", type: "string", jsonPath: ".spec.flavor" },
    { name: "GPUs", type: "integer", jsonPath: ".spec.gpus" },
    { name: "Used", type: "integer", jsonPath: ".status.used" },
  ],
})

export const workload = defineComposite({
  ...{ group, version, kind: "Workload" },
  description: "Work of a tenant that needs GPUs: it waits until there are some that it may use.",
  privileged: true,
  spec: workloadSpec,
  printerColumns: [
    { name: "Tenant", type: "string", jsonPath: ".spec.tenant" },
    { name: "Priority", type: "integer", jsonPath: ".spec.priority" },
    { name: "GPUs", type: "integer", jsonPath: ".spec.gpus" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Seats", type: "string", jsonPath: ".status.seats" },
  ],
})

export const gpuPool = defineComposite({
  ...{ group, version, kind: "GpuPool" },
  description:
    "Keeps the quotas of its tenants: starts workloads, and takes back what is too much.",
  spec: poolSpec,
  // One tenant's workload that can't be made must not keep the others waiting.
  hearsRefusals: true,
  children: [{ group: processGroup, kind: "Process" }],
  related: [
    ...["Tenant", "GpuNode", "Workload"].map((kind) => ({ group, kind })),
    { group: "coordination.k8s.io", kind: "Lease" },
  ],
  printerColumns: [
    { name: "GPUs", type: "integer", jsonPath: ".status.gpus" },
    { name: "Held", type: "integer", jsonPath: ".status.held" },
    { name: "Running", type: "integer", jsonPath: ".status.running" },
    { name: "Waiting", type: "integer", jsonPath: ".status.waiting" },
  ],
  compose: composePool,
})

export const quotaKinds: readonly CompositeKind[] = [tenant, gpuNode, workload, gpuPool]
