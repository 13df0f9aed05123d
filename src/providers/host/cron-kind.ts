// The kind CronFile: one whole file of /etc/cron.d. It belongs to root and nobody else can write
// it, or cron would not read it.

import { z } from "zod"
import { absent, present, unknown } from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider } from "../../contract/provider.ts"
import type { FileStat } from "../../contract/world.ts"
import { defineKind, type KindTarget } from "../../provider/define-kind.ts"
import { atomic } from "../../provider/schema-marks.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import { scheduleProblem } from "./cron-schedule.ts"
import { cronText, readCron } from "./cron-text.ts"
import { cronImporter } from "./import.ts"
import { labelOf, lookAtFile, putFile, removeFile, removeLeftovers, staleness } from "./own-file.ts"
import { done, failed, raced } from "./results.ts"
import { accountName } from "./user-spec.ts"

const mode = 0o644
const rest = "[^\\n\\r\\x00]*"
const text = new RegExp(`^${rest}$`)
const command = new RegExp(`^[^\\s\\x00]${rest}$`)

const cronSpec = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/)
    .describe("Name of the file; cron skips names with other characters."),
  environment: atomic(
    z
      .record(z.string(), z.string().max(1000).regex(text))
      .default({})
      .describe("Variables for the jobs, such as MAILTO; cron replaces nothing in them."),
  ),
  jobs: atomic(
    z
      .array(
        z.strictObject({
          schedule: z.string().max(200).describe('"*/5 * * * *", or @daily and the like.'),
          user: z.string().regex(accountName).describe("As whom it runs."),
          command: z.string().max(900).regex(command).describe("One line, for /bin/sh."),
        }),
      )
      .min(1)
      .max(200),
  ),
  permissions: z.literal("root 0644").default("root 0644").describe("As cron wants it."),
})

type CronSpec = z.output<typeof cronSpec>

export function cronKind(root: string): KindProvider {
  const directory = `${root}/etc/cron.d`
  return defineKind({
    ...{ group: "host.setpoint.dev", version: "v1", kind: "CronFile", plural: "cronfiles" },
    ...{ provider: "cronfile", privileged: true },
    description: "A file of /etc/cron.d with jobs for cron.",
    spec: cronSpec,
    replaceOn: ["name"],
    printerColumns: [{ name: "File", type: "string", jsonPath: ".spec.name" }],
    identity: (spec) => spec.name,
    async observe({ desired }, { world: { files }, signal }) {
      const problem = specProblem(desired)
      if (problem !== undefined) return unknown(problem, true, { class: "BadSpec" })
      const look = () => lookAtFile(files, directory, desired.name)
      const seen = await untilAborted(signal, look)
      if (seen.kind === "absent") return absent(seen.proof)
      if (seen.kind === "unknown") return seen
      const permissions = permissionsText(seen.stat, root === "" ? 0 : undefined)
      return present({ name: desired.name, ...readCron(seen.text), permissions }, seen.token)
    },
    importer: cronImporter(directory, cronShape),
    watch: ({ desired }, { files }, changed) =>
      files.watch(directory, (name) => {
        if (name === undefined || name === desired.name) changed()
      }),
    cleanUp: (_, uid, { files }) => removeLeftovers(files, directory, labelOf(uid)),
    create: (target, context) => act(directory, target, context, "create"),
    update: (target, context) => act(directory, target, context, "update"),
    delete: (target, context) => act(directory, target, context, "delete"),
  })
}

function act(
  directory: string,
  { desired, uid }: KindTarget<CronSpec>,
  { world: { files }, signal, token }: ActContext,
  verb: "create" | "update" | "delete",
): Promise<ActResult> {
  return untilAborted(signal, async () => {
    const file = { directory, name: desired.name, label: labelOf(uid) }
    const problem = verb === "delete" ? undefined : specProblem(desired)
    if (problem !== undefined) return failed(problem, true, { class: "BadSpec" })
    const seen = await lookAtFile(files, directory, desired.name)
    const content = { text: cronText(desired), mode }
    if (verb === "create") {
      if (seen.kind === "unknown") return failed(seen.cause, seen.stuck, seen.failure)
      if (seen.kind === "seen") return raced(`${directory}/${desired.name} exists by now`)
      return (await putFile(files, file, content, undefined, signal)) ?? done()
    }
    if (verb === "delete" && seen.kind === "absent") return done()
    const stale = staleness(seen, token)
    if (stale !== undefined || seen.kind !== "seen") return stale ?? raced("it is gone")
    const result =
      verb === "delete"
        ? await removeFile(files, file, seen, signal)
        : await putFile(files, file, content, seen, signal)
    return result ?? done()
  })
}

/** All that is asked of a spec. */
const cronShape = cronSpec.refine((spec) => specProblem(spec) === undefined, {
  error: ({ input }) => specProblem(input as CronSpec) ?? "",
})

/** What a schema can't say. */
function specProblem({ jobs, environment }: CronSpec): string | undefined {
  for (const [index, { schedule, command: line }] of jobs.entries()) {
    const problem = scheduleProblem(schedule)
    if (problem !== undefined) return `jobs[${index}].schedule: ${problem}`
    if (line !== line.trim()) return `jobs[${index}].command: it ends with a space`
  }
  for (const [name, value] of Object.entries(environment)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `environment: ${name} is no variable's name`
    if (/["']/.test(value)) return `environment.${name}: it has quotes in it`
  }
  return undefined
}

function permissionsText({ mode: found, uid }: FileStat, owner: number | undefined): string {
  const who = owner === undefined || uid === owner ? "root" : `uid ${uid}`
  return `${who} ${found.toString(8).padStart(4, "0")}`
}
