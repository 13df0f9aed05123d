// What must never happen to accounts, each shown to happen without the protection that stops it.

import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { requireTool } from "../../../test/tools.ts"
import type { JsonObject } from "../../base/json.ts"
import { disarm, type Protection } from "../../base/protections.ts"
import type { Verb } from "../../contract/action.ts"
import { finishAction } from "../../contract/action.ts"
import type { CommandsAct } from "../../contract/commands.ts"
import type { ActContext, Target } from "../../contract/provider.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "../file/adapter/node-files.ts"
import { hostKinds } from "./host-kinds.ts"
import { PrivateRoot } from "./testing/private-root.ts"

const root = new PrivateRoot()
const commands = nodeCommands()
/** Programs that can't be started for now. */
const broken = new Set<string>()
const run: CommandsAct["run"] = (request, signal) =>
  broken.has(request.argv[0] ?? "")
    ? Promise.reject(new Error("it can't be started"))
    : commands.run(request, signal)
const world = worldWith({ files: nodeFiles(), commands: { ...commands, run } })
const signal = new AbortController().signal
const kinds = hostKinds({ root: root.path })
const user = kinds.find(({ kind }) => kind === "User")
const groups = kinds.find(({ kind }) => kind === "Group")
const tools = requireTool("unshare: -m true", "useradd", "setpriv")

afterAll(() => {
  commands.close()
  root.remove()
})
beforeEach(() => root.reset())

const target = (spec: JsonObject): Target => {
  const preset = { createHome: false, enabled: true, system: false, onDelete: "disable" }
  const desired = { ...preset, ...spec }
  return { uid: "u-1", object: "users/default/a", desired, identity: String(spec.name) }
}

const look = async (spec: JsonObject) => {
  const seen = await user?.observe?.(target(spec), { world, signal })
  if (seen === undefined) throw new Error("no kind User")
  return seen
}

async function act(verb: "create" | "update" | "delete", spec: JsonObject, as: Verb = verb) {
  const seen = await look(spec)
  const token = seen.kind === "present" ? { token: seen.token } : {}
  const action = finishAction({
    ...{ verb: as, uid: "u-1", object: "users/default/a", kind: "User", loop: "default.default" },
    ...{ generation: 1, incarnation: 1, changes: [], target: "user||a", ...token },
    cause: { kind: "edit", text: "test" },
  })
  const context: ActContext = { world, signal, action, idempotencyKey: "u-1-1", ...token }
  const result = await user?.[verb](target(spec), context)
  if (result === undefined) throw new Error("no kind User")
  return result
}

async function without(name: Protection, task: () => Promise<void>): Promise<void> {
  const rearm = disarm(name)
  try {
    await task()
  } finally {
    rearm()
  }
}

describe("account files", () => {
  it("without root in them say nothing about anybody", async () => {
    root.write("etc/passwd", "ann:x:1500:1500::/home/ann:/bin/sh\n")
    expect((await look({ name: "bob" })).kind).toBe("unknown")
    root.write("etc/passwd", "")
    expect((await look({ name: "bob" })).kind).toBe("unknown")
    await without("passwd-without-root-is-doubt", async () => {
      expect((await look({ name: "bob" })).kind).toBe("absent")
    })
  })

  it("without root in any of them say nothing: neither groups nor passwords are gone", async () => {
    const group = { ...target({ name: "crew" }), desired: { name: "crew", system: false } }
    for (const [file, odd] of [
      ["group", "crew:x:3000:\n"],
      ["group", "root:x:7:\n"],
      ["shadow", "daemon:*:20000:0:99999:7:::\n"],
    ] as const) {
      for (const text of ["", odd]) {
        root.reset()
        root.write(`etc/${file}`, text)
        expect(await look({ name: "bob" })).toMatchObject({ kind: "unknown" })
        expect(await groups?.observe?.(group, { world, signal })).toMatchObject({
          ...{ kind: "unknown", cause: expect.stringContaining(`etc/${file} has no root in it`) },
        })
      }
    }
  })

  it("that end in the middle of a line say nothing", async () => {
    for (const file of ["passwd", "group", "shadow"]) {
      root.reset()
      root.write(`etc/${file}`, root.read(`etc/${file}`).slice(0, -1))
      expect(await look({ name: "bob" })).toMatchObject({
        ...{ kind: "unknown", cause: expect.stringContaining(`etc/${file} ends in the middle`) },
      })
    }
  })

  it("of which one was cut off after a line say nothing about who is in the other", async () => {
    root.write("etc/passwd", `${root.lines("passwd")[0]}\n`)
    expect((await look({ name: "daemon" })).kind).toBe("unknown")
    expect((await look({ name: "bob" })).kind).toBe("absent")
  })

  it("that are missing say nothing", async () => {
    rmSync(join(root.path, "etc/shadow"))
    expect((await look({ name: "bob" })).kind).toBe("unknown")
  })
})

describe.skipIf(tools.missing)("accounts of the system", () => {
  it("are touched only when the object says so, and root is never disabled", async () => {
    const spec = { name: "daemon", shell: "/bin/bash" }
    expect(await act("update", spec)).toMatchObject({ kind: "failed", stuck: true })
    expect(await act("delete", spec)).toMatchObject({ kind: "failed", stuck: true })
    expect(root.user("daemon").shell).toBe("/usr/sbin/nologin")
    expect((await act("update", { ...spec, system: true })).kind).toBe("done")
    expect(root.user("daemon").shell).toBe("/bin/bash")
    for (const wish of [{ enabled: false }, { uid: 7 }]) {
      const asked = { name: "root", system: true, ...wish }
      expect(await act("update", asked)).toMatchObject({ kind: "failed", stuck: true })
    }
    const remove = { name: "root", system: true, onDelete: "remove" }
    expect(await act("delete", remove)).toMatchObject({ kind: "failed", stuck: true })
    expect(await act("create", { name: "low", uid: 50 })).toMatchObject({ stuck: true })
  })

  it("would be changed without that protection", async () => {
    await without("system-accounts-stay", async () => {
      expect((await act("update", { name: "daemon", shell: "/bin/bash" })).kind).toBe("done")
      expect(root.user("daemon").shell).toBe("/bin/bash")
    })
  })
})

describe.skipIf(tools.missing)("a user", () => {
  const keys = (home = "home/ann") => join(root.path, home, ".ssh/authorized_keys")
  const ann = { name: "ann", createHome: true, authorizedKeys: ["ssh-ed25519 A ann"] }

  it("who is declared again gets in neither by the old password nor by old keys", async () => {
    const hash = `$6$x$${"a".repeat(86)}`
    expect((await act("create", { ...ann, passwordHash: hash })).kind).toBe("done")
    expect((await act("delete", ann)).kind).toBe("done")
    expect(await look(ann)).toMatchObject({ kind: "absent" })
    expect(root.line("passwd", "ann")).toBeDefined()
    expect((await act("create", { name: "ann" })).kind).toBe("done")
    expect(root.line("shadow", "ann")?.split(":").slice(1, 2)).toEqual(["!"])
    expect(root.user("ann")).toMatchObject({ enabled: true, authorizedKeys: [] })
    expect(root.read("home/ann/.ssh/authorized_keys.before-setpoint")).toContain("ssh-ed25519 A")
  })

  it("who is declared again gets in by no second file of keys, and by no link either", async () => {
    expect((await act("create", { ...ann, uid: 1500 })).kind).toBe("done")
    expect((await act("delete", ann)).kind).toBe("done")
    rmSync(keys())
    symlinkSync("../elsewhere", keys())
    writeFileSync(`${keys()}2`, "ssh-rsa old\n")
    expect((await act("create", { name: "ann" })).kind).toBe("done")
    expect(readdirSync(join(root.path, "home/ann/.ssh")).sort()).toEqual([
      ...["authorized_keys.before-setpoint", "authorized_keys2.before-setpoint"],
    ])
  })

  it("who may have old keys that can't be looked at stays disabled", async () => {
    expect((await act("create", ann)).kind).toBe("done")
    expect((await act("delete", ann)).kind).toBe("done")
    renameSync(join(root.path, "home/ann/.ssh"), join(root.path, "home/ann/keys"))
    symlinkSync("keys", join(root.path, "home/ann/.ssh"))
    const refused = { kind: "failed", stuck: true, cause: expect.stringContaining("old keys") }
    expect(await act("create", { name: "ann" })).toMatchObject(refused)
    expect(root.line("shadow", "ann")?.split(":")[7]).toBe("2")
    expect(root.read("home/ann/.ssh/authorized_keys")).toContain("ssh-ed25519 A")
  })

  it("can't be entered until all of it is there, and half a user is finished later", async () => {
    const hash = `$6$x$${"a".repeat(86)}`
    const spec = { ...ann, passwordHash: hash }
    for (const program of ["chpasswd", "setpriv"]) {
      broken.add(program)
      await expect(act("create", spec)).rejects.toThrow("can't be started")
      broken.clear()
      expect(root.line("shadow", "ann")?.split(":")[7]).toBe("2")
      expect((await look(spec)).kind).toBe("absent")
    }
    expect((await act("create", spec)).kind).toBe("done")
    expect(root.user("ann")).toMatchObject({
      ...{ enabled: true, passwordHash: hash, authorizedKeys: ann.authorizedKeys },
    })
    expect(root.line("shadow", "ann")?.split(":")[7]).toBe("")
  })

  it("keeps the keys that were there before the adoption", async () => {
    root.tool("useradd", "-m", "-u", "1600", "ann")
    mkdirSync(join(root.path, "home/ann/.ssh"))
    writeFileSync(keys(), "ssh-rsa old\n")
    for (const path of [keys(), join(root.path, "home/ann/.ssh")]) chownSync(path, 1600, 1600)
    expect((await act("update", ann, "adopt")).kind).toBe("done")
    expect(root.user("ann").authorizedKeys).toEqual(ann.authorizedKeys)
    expect(root.read("home/ann/.ssh/authorized_keys.before-setpoint")).toBe("ssh-rsa old\n")
  })

  it("can't lead us to somebody else's files by a link", async () => {
    expect((await act("create", ann)).kind).toBe("done")
    rmSync(join(root.path, "home/ann/.ssh"), { recursive: true })
    mkdirSync(join(root.path, "secret"))
    writeFileSync(join(root.path, "secret/authorized_keys"), "ssh-rsa root's\n")
    symlinkSync("../../secret", join(root.path, "home/ann/.ssh"))
    expect(await look(ann)).toMatchObject({ kind: "unknown", stuck: true })
    expect((await act("update", ann)).kind).toBe("failed")
    expect(root.read("secret/authorized_keys")).toBe("ssh-rsa root's\n")
  })

  it("owns the keys that were written", async () => {
    expect((await act("create", { ...ann, uid: 1700 })).kind).toBe("done")
    expect(lstatSync(keys()).uid).toBe(1700)
  })

  it("waits for a group that is not there", async () => {
    const result = await act("create", { name: "ann", groups: ["none"] })
    expect(result).toMatchObject({ kind: "failed", failure: { class: "Dependency" } })
    expect(root.line("passwd", "ann")).toBeUndefined()
  })
})

describe("a plane that may only touch some directories", () => {
  it("says so for every kind that changes the host, and does nothing", async () => {
    for (const kind of hostKinds({ root: root.path, roots: ["/srv"] })) {
      if (kind.kind === "Package") continue
      const one = target({ name: "a" })
      const seen = await kind.observe?.(one, { world, signal })
      expect(seen).toMatchObject({ kind: "unknown", stuck: true })
    }
    const [inside] = hostKinds({ root: root.path, roots: ["/etc"] })
    expect((await inside?.observe?.(target({ name: "a" }), { world, signal }))?.kind).toBe("absent")
  })
})
