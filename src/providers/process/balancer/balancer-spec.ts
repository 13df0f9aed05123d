// What a Balancer says: where clients come in, whose replicas they reach, and its limits.

import { z } from "zod"

const address = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/)
  .default("127.0.0.1")

const seconds = (preset: number, max: number, what: string) =>
  z.number().min(0).max(max).default(preset).describe(what)

const absolute = /^(\/[^/]+)+$/

export const balancerSpec = z.strictObject({
  listen: z
    .strictObject({ address, port: z.int().min(1).max(65_535) })
    .describe("Where clients connect."),
  backends: z
    .strictObject({ set: z.string().min(1).max(48), address })
    .describe("The ProcessSet whose ready replicas get the clients, and where they listen."),
  configFile: z
    .string()
    .max(4095)
    .regex(absolute)
    .describe("A file of the balancer's own, in a directory that exists; it is kept up to date."),
  health: z
    .strictObject({ base: z.int().min(1).max(65_000) })
    .describe("The balancer in slot N says on port base + N of 127.0.0.1 how it is."),
  replicas: z.int().min(1).max(8).default(1).describe("So many balancers share the port."),
  connectionsMax: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe("Of each balancer; more clients are turned away at once."),
  connectTimeoutSeconds: seconds(1, 60, "Then the next replica is tried."),
  waitSeconds: seconds(5, 600, "So long a client waits when no replica can be reached."),
  drainSeconds: seconds(
    10,
    3600,
    "Connections to a replica that left, and all when the balancer stops, may last so long.",
  ),
  ejectSeconds: seconds(
    2,
    600,
    "A replica that failed gets no new clients for so long, and longer when it fails again.",
  ),
  retryBeforeFirstByte: z
    .boolean()
    .default(false)
    .describe(
      "Send a request of at most 64 KiB to another replica when the first one ends before it " +
        "answered anything. Only where it does no harm to do a request twice.",
    ),
})

export type BalancerSpec = z.output<typeof balancerSpec>
