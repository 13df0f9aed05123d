// SystemdUnit where systemd does not run, and over a stand-in for systemctl where it would; Package
// over what this host really has.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { requireTool } from "../../../test/tools.ts"
import type { JsonObject } from "../../base/json.ts"
import { finishAction } from "../../contract/action.ts"
import type { CommandRequest, CommandResult, CommandsAct } from "../../contract/commands.ts"
import type { ActContext, KindProvider, Target } from "../../contract/provider.ts"
import type { ActWorld, FilesAct } from "../../contract/world.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "../file/adapter/node-files.ts"
import { packageKind } from "./package-kind.ts"
import { unitKind } from "./unit-kind.ts"

const uid = "00000000-0000-4000-8000-000000000001"
const signal = new AbortController().signal
const base = mkdtempSync(join(tmpdir(), "spt-unit-"))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const targetOf = (kind: KindProvider, desired: JsonObject): Target => ({
  ...{ uid, object: "a", desired, identity: kind.identity(desired) },
})

async function look(kind: KindProvider, world: ActWorld, spec: JsonObject) {
  const seen = await kind.observe?.(targetOf(kind, spec), { world, signal })
  if (seen === undefined) throw new Error("no observe")
  return seen
}

async function act(
  kind: KindProvider,
  world: ActWorld,
  verb: "create" | "update" | "delete",
  spec: JsonObject,
) {
  const seen = await look(kind, world, spec)
  const token = seen.kind === "present" ? { token: seen.token } : {}
  const action = finishAction({
    ...{ verb, uid, object: "a", kind: kind.kind, loop: "default.default" },
    ...{ generation: 1, incarnation: 1, changes: [], target: "t", ...token },
    cause: { kind: "edit", text: "test" },
  })
  const context: ActContext = { world, signal, action, idempotencyKey: "k", ...token }
  return kind[verb](targetOf(kind, spec), context)
}

/** The parts of systemctl that the kind uses, over the files in a directory. */
class Systemctl {
  readonly calls: string[] = []
  /** The file of a unit of the same name that a package brought. */
  vendor = ""
  #loaded: string | undefined
  #enabled = false
  #active = false
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  run = async ({ argv }: CommandRequest): Promise<CommandResult> => {
    const [, verb = "", ...words] = argv
    const end = words.indexOf("--")
    if (verb !== "daemon-reload" && end < 0) throw new Error(`${verb}: a name without -- before it`)
    const rest = words.filter((_, index) => index !== end)
    const answer = (stdout = "") => ({ code: 0, stdout, stderr: "" })
    if (verb === "show" && rest.includes("--property=FragmentPath")) {
      const own = readOr(this.#path) === undefined ? this.vendor : `/etc/systemd/system/${rest[1]}`
      return answer(`FragmentPath=${own}\n`)
    }
    if (verb === "show") {
      const reload = this.#loaded === readFileSync(this.#path, "utf8") ? "no" : "yes"
      const state = this.#active ? "active" : "inactive"
      const file = this.#enabled ? "enabled" : "disabled"
      return answer(`ActiveState=${state}\nUnitFileState=${file}\nNeedDaemonReload=${reload}\n`)
    }
    this.calls.push([verb, ...rest].join(" "))
    if (verb === "daemon-reload") this.#loaded = readOr(this.#path)
    if (verb === "enable" || verb === "disable") this.#enabled = verb === "enable"
    if (verb === "start" || verb === "stop") this.#active = verb === "start"
    return answer()
  }
}

const readOr = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

describe("a unit", () => {
  const kind = unitKind()
  const spec = { name: "web.service", content: "[Unit]\n", restart: true, loaded: true }
  const etc = "/etc/systemd/system"
  let systemctl: Systemctl
  let world: ActWorld

  beforeEach(() => {
    rmSync(base, { recursive: true, force: true })
    mkdirSync(join(base, etc), { recursive: true })
    mkdirSync(join(base, "run/systemd/system"), { recursive: true })
    systemctl = new Systemctl(join(base, etc, "web.service"))
    const real = nodeFiles()
    const moved = (value: unknown) =>
      typeof value === "string" && /^\/(etc|run)\//.test(value) ? join(base, value) : value
    const files = new Proxy(real, {
      get:
        (from, name: keyof FilesAct) =>
        (...args: unknown[]) => {
          const inside = args.map((one) => (Array.isArray(one) ? one.map(moved) : moved(one)))
          return Reflect.apply(from[name], from, inside)
        },
    })
    const { run } = systemctl
    const refuse = () => Promise.reject(new Error("not used"))
    const follow = () => ({ close: () => {} })
    const commands: CommandsAct = { look: run, run, ask: refuse, tell: refuse, follow }
    world = worldWith({ files, commands })
  })

  it("says that systemd does not run here, and does nothing", async () => {
    rmSync(join(base, "run"), { recursive: true })
    expect(await look(kind, world, spec)).toMatchObject({ kind: "unknown", stuck: true })
    expect(await act(kind, world, "create", spec)).toMatchObject({ kind: "failed", stuck: true })
    expect(systemctl.calls).toEqual([])
  })

  it("is written, loaded, enabled and started, and taken away again", async () => {
    const wanted = { ...spec, enabled: true, active: true }
    expect((await look(kind, world, wanted)).kind).toBe("absent")
    expect((await act(kind, world, "create", wanted)).kind).toBe("done")
    const made = { kind: "present", value: wanted, mark: uid }
    expect(await look(kind, world, wanted)).toMatchObject(made)
    const start = ["daemon-reload", "enable web.service", "start web.service"]
    expect(systemctl.calls).toEqual(start)
    expect((await act(kind, world, "delete", wanted)).kind).toBe("done")
    expect((await look(kind, world, wanted)).kind).toBe("absent")
    const end = ["disable web.service", "stop web.service", "daemon-reload"]
    expect(systemctl.calls).toEqual([...start, ...end])
  })

  it("takes the place of no unit that somebody else brought", async () => {
    systemctl.vendor = "/usr/lib/systemd/system/web.service"
    expect(await act(kind, world, "create", spec)).toMatchObject({
      ...{ kind: "failed", stuck: true, failure: { class: "Conflict" } },
      cause: expect.stringContaining(systemctl.vendor),
    })
    expect(systemctl.calls).toEqual([])
    expect((await look(kind, world, spec)).kind).toBe("absent")
    expect((await act(kind, world, "delete", spec)).kind).toBe("done")
  })

  it("is not made while systemd does not say whose the name is", async () => {
    const silent = { ...world.commands, look: async () => ({ code: 0, stdout: "", stderr: "" }) }
    const mute = { ...world, commands: silent }
    expect((await act(kind, mute, "create", spec)).kind).toBe("failed")
    expect((await look(kind, world, spec)).kind).toBe("absent")
  })

  it("goes without being stopped or disabled where the object never said that", async () => {
    await act(kind, world, "create", { ...spec, enabled: true, active: true })
    systemctl.calls.length = 0
    expect((await act(kind, world, "delete", spec)).kind).toBe("done")
    expect(systemctl.calls).toEqual(["daemon-reload"])
  })

  it("is restarted when its file changes, and loaded when somebody edited it", async () => {
    const wanted = { ...spec, active: true }
    await act(kind, world, "create", wanted)
    systemctl.calls.length = 0
    const changed = { ...wanted, content: "[Unit]\nDescription=new\n" }
    expect((await act(kind, world, "update", changed)).kind).toBe("done")
    expect(systemctl.calls).toEqual(["daemon-reload", "try-restart web.service"])
    writeFileSync(join(base, etc, "web.service"), "by hand")
    expect(await look(kind, world, changed)).toMatchObject({
      value: { loaded: false, content: "by hand" },
    })
    expect((await act(kind, world, "update", changed)).kind).toBe("done")
    expect(await look(kind, world, changed)).toMatchObject({ value: changed })
  })
})

describe.skipIf(requireTool("dpkg-query: --version").missing)("a package", () => {
  const commands = nodeCommands()
  afterAll(() => commands.close())
  const world = worldWith({ files: nodeFiles(), commands })
  const kind = packageKind()

  it("is looked at and never installed or removed", async () => {
    expect(await look(kind, world, { name: "dpkg" })).toMatchObject({
      kind: "present",
      value: { name: "dpkg", version: expect.stringMatching(/^\d/) },
    })
    expect((await look(kind, world, { name: "no-such-package" })).kind).toBe("absent")
    const refused = { kind: "failed", stuck: true, failure: { class: "Policy" } }
    expect(await act(kind, world, "create", { name: "no-such-package" })).toMatchObject(refused)
    expect(await act(kind, world, "delete", { name: "dpkg" })).toMatchObject(refused)
  })

  it("is in doubt where there is no package manager, never taken for missing", async () => {
    const files = new Proxy(nodeFiles(), {
      get: (real, name: keyof FilesAct) => (name === "lstat" ? async () => undefined : real[name]),
    })
    expect(await look(kind, worldWith({ files, commands }), { name: "dpkg" })).toMatchObject({
      ...{ kind: "unknown", stuck: true, cause: "this host has neither dpkg nor rpm" },
    })
  })
})
