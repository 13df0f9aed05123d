// The kind Group: a name and a number. Who is in it is said by User objects, in one place.

import { z } from "zod"
import type { CommandRequest } from "../../contract/commands.ts"
import { absent, present } from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider } from "../../contract/provider.ts"
import { defineKind } from "../../provider/define-kind.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import type { AccountFiles } from "./account-files.ts"
import type { GroupEntry } from "./accounts.ts"
import { groupImporter } from "./import.ts"
import { complaintOf, done, failed, raced } from "./results.ts"
import { refusals } from "./user-commands.ts"
import { firstUserId } from "./user-kind.ts"
import { accountId, accountName } from "./user-spec.ts"

const groupSpec = z.strictObject({
  name: z.string().regex(accountName).describe("The group's name."),
  gid: accountId.optional().describe("Unset = the next free one."),
  system: z
    .boolean()
    .default(false)
    .describe("Groups with a gid below 1000 are touched only with this."),
})

type GroupSpec = z.output<typeof groupSpec>

const tokenOf = ({ gid }: GroupEntry) => `gid ${gid}`

export function groupKind(accounts: AccountFiles): KindProvider {
  return defineKind({
    ...{ group: "host.setpoint.dev", version: "v1", kind: "Group", plural: "groups" },
    ...{ provider: "group", privileged: true },
    description: "A group of this host. Its members are said by User objects.",
    spec: groupSpec,
    replaceOn: ["name"],
    printerColumns: [{ name: "Group", type: "string", jsonPath: ".spec.name" }],
    identity: (spec) => spec.name,
    async observe({ desired }, { world: { files }, signal }) {
      const known = await untilAborted(signal, () => accounts.read(files))
      if (known.kind === "unknown") return known
      const entry = known.groups.get(desired.name)
      if (entry === undefined) return absent(`no ${desired.name} in /etc/group: ${known.proof}`)
      const { name, gid } = entry
      return present({ name, gid, system: desired.system }, tokenOf(entry))
    },
    importer: groupImporter(accounts, groupSpec),
    watch: (_, { files }, changed) => accounts.watch(files, changed),
    create: ({ desired }, context) =>
      untilAborted(context.signal, () => act(accounts, desired, context, "create")),
    update: ({ desired }, context) =>
      untilAborted(context.signal, () => act(accounts, desired, context, "update")),
    delete: ({ desired }, context) =>
      untilAborted(context.signal, () => act(accounts, desired, context, "delete")),
  })
}

async function act(
  accounts: AccountFiles,
  spec: GroupSpec,
  { world, signal, token }: ActContext,
  verb: "create" | "update" | "delete",
): Promise<ActResult> {
  const known = await accounts.read(world.files)
  if (known.kind === "unknown") return failed(known.cause, known.stuck, known.failure)
  const entry = known.groups.get(spec.name)
  if (entry === undefined && verb === "delete") return done()
  if (verb === "create" ? entry !== undefined : entry === undefined) {
    return raced(verb === "create" ? `the group ${spec.name} exists by now` : "it is gone")
  }
  if (entry !== undefined && tokenOf(entry) !== token) return raced("it changed since then")
  const lowest = Math.min(entry?.gid ?? firstUserId, spec.gid ?? firstUserId)
  if (lowest < firstUserId && !spec.system) {
    const cause = `the gid ${lowest} is below ${firstUserId}, a group of the system`
    return failed(`${cause}; say system: true when it is meant`, true, { class: "Policy" })
  }
  const request = commandOf(verb, spec, accounts.root)
  if (request === undefined) return done()
  signal.throwIfAborted()
  const result = await world.commands.run(request, signal)
  if (result.code === 0) return done()
  const cause = complaintOf(result)
  if (!refusals.has(result.code)) throw new Error(cause)
  return failed(cause, false, result.code === 8 ? { class: "Dependency" } : undefined)
}

function commandOf(
  verb: "create" | "update" | "delete",
  { name, gid, system }: GroupSpec,
  root: string,
): CommandRequest | undefined {
  const within = root === "" ? [] : ["-R", root]
  const number = gid === undefined ? [] : ["-g", String(gid)]
  if (verb === "delete") return { argv: ["groupdel", ...within, name] }
  if (verb === "create") {
    return { argv: ["groupadd", ...within, ...number, ...(system ? ["-r"] : []), name] }
  }
  return gid === undefined ? undefined : { argv: ["groupmod", ...within, ...number, name] }
}
