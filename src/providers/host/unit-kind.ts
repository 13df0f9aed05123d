// The kind SystemdUnit: a unit file of our own in /etc/systemd/system, and whether the unit is
// enabled and active. It never takes the place of a unit that somebody else brought, and it leaves
// alone what the spec does not manage. Preview: where systemd is not the first process, every
// object says so and nothing is done.

import { z } from "zod"
import type { CommandsRead } from "../../contract/commands.ts"
import { failureOf } from "../../contract/diagnosis.ts"
import { type Absent, absent, present, type Unknown, unknown } from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider } from "../../contract/provider.ts"
import type { ReadWorld } from "../../contract/world.ts"
import { defineKind, type KindTarget } from "../../provider/define-kind.ts"
import { payload } from "../../provider/schema-marks.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import {
  labelOf,
  lookAtFile,
  putFile,
  removeFile,
  removeLeftovers,
  type SeenFile,
} from "./own-file.ts"
import { complaintOf, done, failed, raced } from "./results.ts"

const directory = "/etc/systemd/system"
const booted = "/run/systemd/system"

const unitSpec = z.strictObject({
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9:_.@-]+\.(service|timer|socket|path|mount|target)$/)
    .describe("With its suffix, such as backup.timer."),
  content: payload(
    z
      .string()
      .max(1_000_000)
      .regex(/\n$/)
      .describe(
        "The whole unit file, with a line end at its end; a comment is added that says whose.",
      ),
  ),
  enabled: z.boolean().optional().describe("Started at boot; unset = not managed."),
  active: z.boolean().optional().describe("Running now; unset = not managed."),
  restart: z.boolean().default(true).describe("Restart a running unit when its file changes."),
  loaded: z.literal(true).default(true).describe("systemd knows the file as it is."),
})

type UnitSpec = z.output<typeof unitSpec>

interface SeenUnit {
  readonly kind: "unit"
  readonly file: SeenFile
  readonly enabled: boolean
  readonly active: boolean
  readonly loaded: boolean
  readonly token: string
}

export function unitKind(): KindProvider {
  return defineKind({
    ...{ group: "host.setpoint.dev", version: "v1", kind: "SystemdUnit", plural: "systemdunits" },
    ...{ provider: "systemd", privileged: true },
    description: "A unit file of systemd, enabled and active as declared. Preview.",
    spec: unitSpec,
    replaceOn: ["name"],
    printerColumns: [{ name: "Unit", type: "string", jsonPath: ".spec.name" }],
    identity: (spec) => spec.name,
    async observe({ desired }, { world, signal }) {
      const seen = await untilAborted(signal, () => look(desired.name, world, signal))
      if (seen.kind === "absent") return absent(seen.proof)
      if (seen.kind === "unknown") return seen
      const { enabled, active, loaded } = seen
      const { name, restart } = desired
      const { content, mark } = unmarked(seen.file.text)
      const value = { name, content, enabled, active, loaded, restart }
      return present(value, seen.token, mark === undefined ? {} : { mark })
    },
    watch: ({ desired }, { files }, changed) =>
      files.watch(directory, (name) => {
        if (name === undefined || name === desired.name) changed()
      }),
    cleanUp: (_, uid, { files }) => removeLeftovers(files, directory, labelOf(uid)),
    create: (target, context) => new UnitAct(target, context).run("create"),
    update: (target, context) => new UnitAct(target, context).run("update"),
    delete: (target, context) => new UnitAct(target, context).run("delete"),
  })
}

const markPattern = /^([\s\S]*)# Kept by Setpoint for ([0-9a-f-]{36})\n$/

/** A unit that does not start is as much ours as one that does: so the file says whose it is. */
const marked = (content: string, uid: string) =>
  `${content}${content.endsWith("\n") ? "" : "\n"}# Kept by Setpoint for ${uid}\n`

function unmarked(text: string): { readonly content: string; readonly mark?: string } {
  const [, content, mark] = markPattern.exec(text) ?? []
  return content === undefined || mark === undefined ? { content: text } : { content, mark }
}

async function look(
  name: string,
  { files, commands }: ReadWorld,
  signal: AbortSignal,
): Promise<SeenUnit | Absent | Unknown> {
  try {
    if ((await files.lstat(booted))?.type !== "directory") {
      const cause = `systemd does not run on this host (no ${booted}); SystemdUnit needs it`
      return unknown(cause, true, { class: "Dependency" })
    }
    const file = await lookAtFile(files, directory, name)
    if (file.kind !== "seen") return file
    const found = await showUnit(name, stateNames, commands, signal)
    if (typeof found === "string") return unknown(found)
    const state = found.get("ActiveState")
    if (state === undefined) return unknown("systemctl show does not say the unit's state")
    const enabled = /^enabled/.test(found.get("UnitFileState") ?? "")
    const active = /^(active|activating|reloading)$/.test(state)
    const loaded = found.get("NeedDaemonReload") === "no"
    const token = `${file.token}.${enabled}.${active}.${loaded}`
    return { kind: "unit", file, enabled, active, loaded, token }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return unknown(cause, false, failureOf(error))
  }
}

const stateNames = ["ActiveState", "UnitFileState", "NeedDaemonReload"]

/** What systemd says of the unit by these names, or why that is not known. */
async function showUnit(
  name: string,
  properties: readonly string[],
  commands: CommandsRead,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | string> {
  const wanted = `--property=${properties.join(",")}`
  const result = await commands.look({ argv: ["systemctl", "show", wanted, "--", name] }, signal)
  if (result.code !== 0) return `systemctl show: ${complaintOf(result)}`
  return new Map(result.stdout.split("\n").map((line) => splitAt(line, "=")))
}

function splitAt(line: string, sign: string): [string, string] {
  const at = line.indexOf(sign)
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)]
}

class UnitAct {
  readonly #spec: UnitSpec
  readonly #label: string
  readonly #uid: string
  readonly #context: ActContext

  constructor({ desired, uid }: KindTarget<UnitSpec>, context: ActContext) {
    this.#spec = desired
    this.#label = labelOf(uid)
    this.#uid = uid
    this.#context = context
  }

  run(verb: "create" | "update" | "delete"): Promise<ActResult> {
    const { world, signal, token } = this.#context
    return untilAborted(signal, async () => {
      const seen = await look(this.#spec.name, world, signal)
      if (seen.kind === "unknown") return failed(seen.cause, seen.stuck, seen.failure)
      if (seen.kind === "absent") {
        if (verb === "delete") return done()
        if (verb === "update") return raced("it is gone since it was observed")
        return (await this.#anothersUnit()) ?? this.#put(undefined)
      }
      if (verb === "create") return raced(`${directory}/${this.#spec.name} exists by now`)
      if (seen.token !== token) return raced("it changed since it was observed")
      return verb === "delete" ? this.#remove(seen) : this.#put(seen)
    })
  }

  /** A file in /etc hides the unit of that name that a package or a generator brought. */
  async #anothersUnit(): Promise<ActResult | undefined> {
    const { world, signal } = this.#context
    const { name } = this.#spec
    const found = await showUnit(name, ["FragmentPath"], world.commands, signal)
    if (typeof found === "string") return failed(found)
    const path = found.get("FragmentPath")
    if (path === undefined) return failed("systemctl show does not say where the unit's file is")
    if (path === "" || path === `${directory}/${name}`) return undefined
    const hint = `take another name, or change parts of it by a file in ${directory}/${name}.d`
    return failed(`there is a unit ${name} at ${path}, and it is not replaced; ${hint}`, true, {
      class: "Conflict",
    })
  }

  async #put(seen: SeenUnit | undefined): Promise<ActResult> {
    const { world, signal } = this.#context
    const { name, content, enabled, active, restart } = this.#spec
    const file = { directory, name, label: this.#label }
    const text = marked(content, this.#uid)
    const rewrites = seen === undefined || seen.file.text !== text
    if (rewrites) {
      const body = { text, mode: 0o644 }
      const refused = await putFile(world.files, file, body, seen?.file, signal)
      if (refused !== undefined) return refused
    }
    if (rewrites || !seen.loaded) await this.#systemctl("daemon-reload")
    if (enabled !== undefined && enabled !== (seen?.enabled ?? false)) {
      await this.#systemctl(enabled ? "enable" : "disable", "--", name)
    }
    const runs = seen?.active ?? false
    if (active !== undefined && active !== runs) {
      await this.#systemctl(active ? "start" : "stop", "--", name)
    } else if (rewrites && runs && restart) await this.#systemctl("try-restart", "--", name)
    return done()
  }

  /** Under the file there may be a unit of others: it is stopped only where that was ours to do. */
  async #remove(seen: SeenUnit): Promise<ActResult> {
    const { world, signal } = this.#context
    const { name, enabled, active } = this.#spec
    if (enabled !== undefined && seen.enabled) await this.#systemctl("disable", "--", name)
    if (active !== undefined && seen.active) await this.#systemctl("stop", "--", name)
    const file = { directory, name, label: this.#label }
    const refused = await removeFile(world.files, file, seen.file, signal)
    if (refused !== undefined) throw new Error(`${name} was changed while it was stopped`)
    await this.#systemctl("daemon-reload")
    return done()
  }

  /** Something was changed before or may have been: a failure is never a proof of the contrary. */
  async #systemctl(...args: readonly string[]): Promise<void> {
    const { world, signal } = this.#context
    signal.throwIfAborted()
    const result = await world.commands.run({ argv: ["systemctl", ...args] }, signal)
    if (result.code !== 0) throw new Error(`systemctl ${args[0]}: ${complaintOf(result)}`)
  }
}
