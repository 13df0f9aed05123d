// What tenants, nodes, workloads and pools say.

import { z } from "zod"
import { atomic } from "../../provider/schema-marks.ts"

const text = "[^\\x00]"
const name = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
/** What a running workload is counted by, or what its GPUs were given away as. */
const fixedFor =
  (instead: string) =>
  <T extends z.ZodType>(schema: T): T =>
    schema.meta({
      "x-kubernetes-validations": [
        { rule: "self == oldSelf", message: `can't be changed; ${instead}` },
      ],
    })
const fixed = fixedFor("make another workload")
const fixedOfNode = fixedFor("delete the node and make it anew once nothing runs there")
const poolField = name.default("default").describe("The GpuPool it belongs to.")
const flavorField = name.describe("Which sort of GPU, for example a100.")

/** So many of anything: a rack, not a planet. */
const most = 100_000
const gpuCount = (what: string) => z.int().min(0).max(most).describe(what)
const seconds = (preset: number, max: number, what: string) =>
  z.int().min(0).max(max).default(preset).describe(what)

const guaranteedFits = {
  rule: "self.guaranteed <= self.nominal",
  message: "guaranteed is a part of nominal and can't be more",
}

export const tenantSpec = z.strictObject({
  pool: poolField,
  quota: z
    .record(
      z.string(),
      z
        .strictObject({
          nominal: gpuCount("What it may use at any time."),
          guaranteed: gpuCount("The part of it that nobody may borrow, even while idle.").default(
            0,
          ),
          borrowLimit: gpuCount("How much more it may use while others leave it idle.").default(0),
          weight: z
            .int()
            .min(1)
            .max(1000)
            .default(1)
            .describe("Its share of what can be borrowed."),
        })
        .meta({ "x-kubernetes-validations": [guaranteedFits] }),
    )
    .meta({ maxProperties: 100 })
    .describe(
      "By flavor. A flavor that is not named may not be used; nothing is evicted for that.",
    ),
  minRuntimeSeconds: seconds(
    0,
    604_800,
    "A workload is not taken away for another tenant before it ran so long.",
  ),
  reclaimGraceSeconds: seconds(60, 3600, "The most time that a checkpoint may take."),
})

export const nodeSpec = z.strictObject({
  pool: fixedOfNode(poolField),
  flavor: fixedOfNode(flavorField),
  gpus: z.int().min(1).max(1024).describe("Their indices are 0 to gpus - 1."),
  simulated: z
    .boolean()
    .default(false)
    .describe("There is no such machine: no Lease gpunode-NAME has to be renewed for it."),
  cordoned: z.boolean().default(false).describe("Nothing new is put there."),
  outOfService: z
    .boolean()
    .default(false)
    .describe("It is gone: what runs there is evicted, and its heartbeat is not missed."),
})

const anyText = new RegExp(`^${text}*$`)
const argv = atomic(z.array(z.string().max(131_072).regex(anyText)).min(1).max(1024))

/**
 * What the kind Process takes, so that nobody is told only after waiting for GPUs that it does not.
 * test/conformance/workload-process.test.ts holds the two together.
 */
const variable = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/
const ownMessage =
  "SETPOINT_ID, SETPOINT_RUN, SETPOINT_PLACE and names that begin with _setpoint are Setpoint's own"
const variableNames = [
  {
    rule: `self.all(name, name.matches("${variable.source}"))`,
    message: "a variable's name has letters, digits and _, and does not begin with 0-9",
  },
  {
    rule: 'self.all(name, !name.matches("^(SETPOINT_(ID|RUN|PLACE)$|_setpoint)"))',
    message: ownMessage,
  },
]
const stopSignals = [
  ...(["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGWINCH"] as const),
  ...(["SIGABRT", "SIGALRM", "SIGKILL"] as const),
] as const
/** Some less than a Process may have: where it sits is told by more of them. */
const variablesMax = 990

export const processTemplate = z
  .strictObject({
    command: argv.describe("The program and its arguments; never given to a shell."),
    env: z
      .record(z.string(), z.string().max(131_072).regex(anyText))
      .meta({ maxProperties: variablesMax, "x-kubernetes-validations": variableNames })
      .optional(),
    cwd: z
      .string()
      .max(4095)
      .regex(new RegExp(`^/${text}*$`))
      .optional(),
    user: z
      .string()
      .regex(/^([A-Za-z_][A-Za-z0-9_.-]{0,31}\$?|[0-9]{1,10})$/)
      .optional()
      .describe("Needs a plane that runs as root."),
    restart: z
      .enum(["Always", "OnFailure", "Never"])
      .default("OnFailure")
      .describe("With OnFailure and Never it is done when it ends by itself."),
    stopSignal: z.enum(stopSignals).optional(),
    stopGraceSeconds: z.number().min(0).max(300).optional(),
  })
  .describe("The process of each member; it finds its GPUs in SETPOINT_GPUS.")

export const workloadSpec = z.strictObject({
  pool: fixed(poolField),
  tenant: fixed(name.describe("Who it is counted for.")),
  flavor: fixed(flavorField),
  priority: z
    .int()
    .min(-1_000_000)
    .max(1_000_000)
    .default(0)
    .describe("Higher starts first and leaves last."),
  gpus: fixed(z.int().min(1).max(1024).describe("Of each member, all on one node.")),
  members: fixed(z.int().min(1).max(500).default(1).describe("All of them run, or none.")),
  preemptible: z.boolean().default(true).describe("Whether it may be evicted."),
  process: processTemplate,
  checkpoint: z
    .strictObject({
      command: argv.describe("Run for each member, before it is stopped."),
      graceSeconds: z.int().min(1).max(3600).default(30).describe("Then it is stopped anyway."),
    })
    .optional()
    .describe("What saves its work when it is evicted."),
})

export const poolSpec = z.strictObject({
  heartbeatSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(60)
    .describe("A node that was silent for longer is doubted, and nobody is evicted meanwhile."),
  cooldownSeconds: seconds(30, 86_400, "A workload that was evicted does not return sooner."),
})

export type TenantSpec = z.output<typeof tenantSpec>
export type NodeSpec = z.output<typeof nodeSpec>
export type WorkloadSpec = z.output<typeof workloadSpec>
export type PoolSpec = z.output<typeof poolSpec>
