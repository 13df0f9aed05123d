// Who one is and what one may, as the real kubectl asks it, also as another.

import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { requireClient } from "../tools.ts"
import { AccessRig, home, other } from "./plane/access-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const kubectl = requireClient("kubectl-1.35")
const rig = new AccessRig()
beforeAll(() => rig.open())
afterAll(() => rig.close())

describe.skipIf(kubectl.missing)("kubectl", () => {
  const run = async (...args: string[]) => {
    const flags = ["--kubeconfig", rig.local.server.kubeconfig, ...args]
    const done = await promisify(execFile)(kubectl.path, flags).catch((error) => error)
    return `${done.stdout}${done.stderr}`
  }

  it("asks who it is and what it may, also as another", async () => {
    expect(await run("auth", "whoami")).toContain("system:masters")
    expect(await run("auth", "can-i", "create", "secrets", "-n", home)).toBe("yes\n")
    const as = (who: string) => ["--as", who, "-n", home]
    expect(await run("auth", "can-i", "get", "files", ...as("view"))).toBe("yes\n")
    expect(await run("auth", "can-i", "create", "files", ...as("view"))).toContain("no\n")
    expect(await run("auth", "can-i", "--list", ...as("view"))).toMatch(/configmaps .*get/)
    expect(await run("get", "configmaps", "--as", "view", "-n", other)).toContain(
      'configmaps is forbidden: User "view" cannot list resource "configmaps" in API group "" ' +
        `in the namespace "${other}"`,
    )
  })
})
