// On the command line: a token in a group, what it may do by a role binding of that group, and the
// log of what was asked.

import { mkdirSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { at, type Json } from "../../src/base/json.ts"
import { CliRig } from "./cli-server-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new CliRig()
beforeAll(async () => {
  mkdirSync(rig.path("site"))
  await rig.start("up", "site").said(/watching/)
  const groups = ["--group", "payments", "--group", "system:masters"]
  for (const [name, more] of [
    ["helper", []],
    ["root2", groups],
  ] as const) {
    const made = ["token", "create", name, "--kind", "agent", "--file", `${name}.token`, ...more]
    expect(await rig.run(...made)).toMatchObject({ code: 0, stderr: "" })
  }
})
afterAll(() => rig.close())

describe("setpoint auth", () => {
  const can = (who: string, ...args: string[]) =>
    rig.run("--token", `${who}.token`, "auth", "can-i", ...args)

  it("says yes or no, and exits so", async () => {
    expect(await rig.run("auth", "can-i", "delete", "secrets")).toMatchObject({ code: 0 })
    expect(await can("helper", "create", "loops")).toMatchObject({ code: 0, stdout: "yes\n" })
    // No --root confines this plane: who may write files holds the host.
    expect(await can("helper", "create", "files")).toMatchObject({ code: 1, stdout: "no\n" })
    expect(await can("helper", "get", "files")).toMatchObject({ code: 0, stdout: "yes\n" })
    expect(await can("helper", "get", "secrets")).toMatchObject({ code: 1, stdout: "no\n" })
    const approve = ["approve", "plans", "--subresource", "approval"]
    expect(await can("helper", ...approve)).toMatchObject({ code: 1, stdout: "no\n" })
    expect(await can("helper", "get", "/metrics")).toMatchObject({ code: 1 })
    expect(await can("root2", "get", "/metrics")).toMatchObject({ code: 0 })
  })

  it("says who one is, with the groups of the token", async () => {
    const { stdout } = await rig.run("--token", "root2.token", "auth", "whoami", "-o", "json")
    const user = JSON.parse(stdout) as Json
    expect(at(user, "username")).toBe("root2")
    expect(at(user, "groups")).toEqual([
      ...["setpoint:agents", "payments", "system:masters", "system:authenticated"],
    ])
  })

  it("refuses groups of the system", async () => {
    const made = ["token", "create", "x", "--kind", "human", "--group", "system:nodes"]
    const { code, stderr } = await rig.run(...made)
    expect(code).toBe(1)
    expect(stderr).toContain("is no group that can be given")
  })
})

describe("setpoint audit requests", () => {
  it("shows who was refused what, and no time that is none", async () => {
    await rig.run("--token", "helper.token", "delete", "loops", "missing")
    await rig.run("--token", "helper.token", "resume")
    const { stdout, code } = await rig.run("audit", "requests", "--since", "1h")
    expect(code).toBe(0)
    expect(stdout).toMatch(/helper +socket +post +\/setpoint\/v1\/resume +403 SPT-STOP-001/)
    const wrong = await rig.run("audit", "requests", "--since", "soon")
    expect(wrong.code).not.toBe(0)
  })
})
