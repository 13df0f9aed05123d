// What a ProcessSet says: how many replicas of which process, and how a new version takes over.

import { z } from "zod"
import { scale } from "../../../provider/schema-marks.ts"
import { processSpec } from "../process-spec.ts"

export const replicasMax = 500

const seconds = (preset: number, min: number, what: string) =>
  z.int().min(min).max(86_400).default(preset).describe(what)

const movable = {
  rule: "self.maxSurge + self.maxUnavailable > 0",
  message: "with maxSurge and maxUnavailable 0 nothing could ever be replaced",
}
const longEnough = {
  rule: "self.progressDeadlineSeconds > self.minReadySeconds",
  message: "progressDeadlineSeconds must be longer than minReadySeconds",
}

export const strategySpec = z
  .strictObject({
    maxSurge: z
      .int()
      .min(0)
      .max(replicasMax)
      .default(1)
      .describe("So many more than replicas at the same time; those that stop count, too."),
    maxUnavailable: z
      .int()
      .min(0)
      .max(replicasMax)
      .default(0)
      .describe("So many fewer than replicas in service while a version is replaced."),
    minReadySeconds: seconds(3, 0, "Ready for so long without a break before it counts."),
    progressDeadlineSeconds: seconds(120, 1, "Without any progress for so long it has failed."),
    rollback: z
      .enum(["Auto", "Never"])
      .default("Auto")
      .describe("Auto goes back to the last version with which all replicas were available."),
  })
  .meta({ "x-kubernetes-validations": [movable, longEnough] })

/** A replica's own id, port and state are the set's to say. */
const templateSpec = processSpec.omit({ id: true, state: true })

export const setSpec = z.strictObject({
  replicas: scale(z.int().min(0).max(replicasMax).default(1)).describe("How many are in service."),
  template: templateSpec.describe(
    "The process. $(SETPOINT_SLOT) and $(SETPOINT_PORT) in command and env become the replica's.",
  ),
  ports: z
    .strictObject({
      base: z
        .int()
        .min(1)
        .max(65_535 - 2 * replicasMax),
    })
    .optional()
    .describe("The replica in slot N listens on base + N, and finds it in SETPOINT_PORT."),
  restart: z.string().max(253).optional().describe("Another text replaces all replicas."),
  strategy: strategySpec.prefault({}),
  drainSeconds: seconds(5, 0, "Out of service for so long before it is stopped."),
})
