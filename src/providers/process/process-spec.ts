// What a Process object says. The part that makes a process what it is (command, environment,
// directory, user, limits, revision) can't be changed while it runs: another value stops it and
// starts it anew. The rest says how it is looked after, and applies at once.

import { z } from "zod"
import { ref } from "../../provider/ref.ts"
import { atomic, listMap, secret } from "../../provider/schema-marks.ts"

const text = "[^\\x00]"
const anyText = new RegExp(`^${text}*$`)
const variable = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/
const account = /^([A-Za-z_][A-Za-z0-9_.-]{0,31}\$?|[0-9]{1,10})$/
const absolute = new RegExp(`^/${text}*$`)

/** Also the name of a directory, so without anything that could lead out of it. */
export const idPattern = /^[a-z0-9]([-a-z0-9.]{0,126}[a-z0-9])?$/

const ownMessage =
  "SETPOINT_ID, SETPOINT_RUN, SETPOINT_PLACE and names that begin with _setpoint are Setpoint's own"

const argv = (what: string) =>
  atomic(z.array(z.string().max(131_072).regex(anyText)).min(1).max(1024)).describe(what)

const seconds = (preset: number, min: number, max: number, what: string) =>
  z.number().min(min).max(max).default(preset).describe(what)

const count = (preset: number, max: number, what: string) =>
  z.int().min(1).max(max).default(preset).describe(what)

const port = z.int().min(1).max(65_535).optional()
const host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/)
  .default("127.0.0.1")

const timing = {
  initialDelaySeconds: seconds(0, 0, 86_400, "After the start, before the first try."),
  periodSeconds: seconds(10, 0.1, 86_400, "From one try to the next."),
  timeoutSeconds: seconds(1, 0.05, 3600, "A try without an answer by then has failed."),
  failureThreshold: count(3, 1000, "So many failures in a row say no."),
}

/** What HTTP calls a token. Another name can't be sent at all. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const headerNames = {
  rule: `self.all(name, name.matches("${headerName.source}"))`,
  message: "a header's name has letters, digits and !#$%&'*+-.^_`|~, and nothing else",
}

const ways = {
  exec: z
    .strictObject({ command: argv("Run with the process's environment; 0 says yes.") })
    .optional(),
  http: z
    .strictObject({
      path: z
        .string()
        .max(2048)
        .regex(/^\/[\x21-\x7e]*$/)
        .default("/"),
      port: port.describe("The process's own port when missing."),
      host,
      headers: z
        .record(
          z.string(),
          z
            .string()
            .max(4096)
            .regex(/^[\x20-\x7e]*$/),
        )
        .meta({ maxProperties: 100, "x-kubernetes-validations": [headerNames] })
        .optional(),
    })
    .optional()
    .describe("GET without TLS; an answer from 200 to 399 says yes."),
  tcp: z
    .strictObject({ port: port.describe("The process's own port when missing."), host })
    .optional()
    .describe("A connection that is accepted says yes."),
}

const oneWay = {
  oneOf: [{ required: ["exec"] }, { required: ["http"] }, { required: ["tcp"] }],
}

const probe = (what: string) =>
  atomic(z.strictObject({ ...ways, ...timing }).meta(oneWay))
    .optional()
    .describe(what)

const readinessProbe = atomic(
  z
    .strictObject({
      ...ways,
      ...timing,
      successThreshold: count(1, 1000, "So many say yes again."),
    })
    .meta(oneWay),
)

/** What every process gets by itself, and what the shim calls its own: declared, it never fits. */
const ownVariable = "^(SETPOINT_(ID|RUN|PLACE)$|_setpoint)"
const variableNames = [
  {
    rule: `self.all(name, name.matches("${variable.source}"))`,
    message: "a variable's name has letters, digits and _, and does not begin with 0-9",
  },
  { rule: `self.all(name, !name.matches("${ownVariable}"))`, message: ownMessage },
]
const secretName = { rule: `!self.matches("${ownVariable}")`, message: ownMessage }

const stopSignals = [
  ...(["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGWINCH"] as const),
  ...(["SIGABRT", "SIGALRM", "SIGKILL"] as const),
] as const

/** What makes it another process: the process is replaced when one of these changes. */
export const orderFields = {
  command: argv("The program and its arguments; never given to a shell."),
  env: z
    .record(z.string(), z.string().max(131_072).regex(anyText))
    .meta({ maxProperties: 1000, "x-kubernetes-validations": variableNames })
    .default({})
    .describe("The whole environment, besides PATH, HOME, USER, LOGNAME and SETPOINT_*."),
  secretEnv: listMap(
    z.strictObject({
      name: z
        .string()
        .max(256)
        .regex(variable)
        .meta({ "x-kubernetes-validations": [secretName] }),
      value: ref(secret(z.string().max(131_072).regex(anyText))),
    }),
    ["name"],
  )
    .max(1000)
    .optional()
    .describe("More of it that is secret, or taken from other objects with valueFrom."),
  cwd: z.string().max(4095).regex(absolute).default("/").describe("Absolute path."),
  user: z.string().regex(account).optional().describe("Needs a plane that runs as root."),
  limits: z
    .strictObject({
      openFiles: z.int().min(3).max(10_000_000).optional(),
      memoryBytes: z.int().min(1_048_576).max(1e15).optional().describe("Writable private memory."),
      nice: z.int().min(-20).max(19).optional().describe("Below 0 needs root."),
    })
    .default({}),
  revision: z.string().max(253).optional().describe("Another text replaces the process."),
}

export const processSpec = z.strictObject({
  id: z
    .string()
    .regex(idPattern)
    .optional()
    .describe("Which process of this host it is; the object's UID when missing."),
  ...orderFields,
  state: z
    .enum(["Running", "Stopped"])
    .default("Running")
    .describe("Stopped ends the process and keeps the object, its logs and its place."),
  port: port.describe("Where it listens: for probes, balancers and people."),
  restart: z
    .enum(["Always", "OnFailure", "Never"])
    .default("Always")
    .describe("What is done when it ends by itself."),
  backoff: z
    .strictObject({
      initialSeconds: seconds(10, 0, 3600, "Before the second restart in a row; then doubled."),
      maxSeconds: seconds(300, 0, 86_400, "Never longer than this."),
      resetSeconds: seconds(600, 0, 86_400, "A run that lasted so long starts the count anew."),
    })
    .prefault({}),
  stopSignal: z.enum(stopSignals).default("SIGTERM"),
  stopGraceSeconds: seconds(10, 0, 300, "Then SIGKILL; both go to the whole process group."),
  probes: z
    .strictObject({
      startup: probe("Until it says yes, nothing else is asked; when it says no, a restart."),
      liveness: probe("When it says no, the process is stopped and started again."),
      readiness: readinessProbe.optional().describe("Says whether it can serve now."),
    })
    .default({}),
  logs: z
    .strictObject({
      maxBytes: z.int().min(4096).max(1e12).default(10_485_760).describe("Of one file."),
      keep: z.int().min(0).max(100).default(4).describe("Older files besides the newest one."),
    })
    .prefault({}),
})

export type ProcessSpec = z.output<typeof processSpec>
export type Probes = ProcessSpec["probes"]
export type ReadinessProbe = NonNullable<Probes["readiness"]>
export type ProbeSpec = NonNullable<Probes["liveness"]> & Partial<ReadinessProbe>
