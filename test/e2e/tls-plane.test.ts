import { readFileSync, statSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { kubeconfigClient } from "../../src/client/http/kubeconfig-client.ts"
import { itInFull } from "../full.ts"
import { CliRig } from "./cli-server-rig.ts"
import { ownPort } from "./clients/own-port.ts"

let rig: CliRig
beforeEach(() => {
  rig = new CliRig()
})
afterEach(() => rig.close())

const loops = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
const serverOf = (file: string) => /server: (\S+)/.exec(readFileSync(file, "utf8"))?.[1]

describe("a plane with a port", () => {
  it("writes a kubeconfig that still works after a restart, from anywhere", async () => {
    const data = rig.path("d")
    const file = rig.path("d", "kubeconfig")
    // Remembered from then on; the usual one another plane could take in between.
    const port = String(await ownPort())
    const first = rig.start("serve", "--data", data, "--port", port)
    await first.said(/^page /m)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const server = serverOf(file)
    // A client that stays connected over the restart.
    const client = kubeconfigClient(file, { patienceMs: 60_000 })
    try {
      expect((await client.list(loops)).items.length).toBeGreaterThan(0)
      const { token } = JSON.parse(
        (await rig.run("token", "create", "bob", "--kind", "human", "--data", data, "-o", "json"))
          .stdout,
      )
      writeFileSync(rig.path("bob.token"), token)
      const printed = await rig.run("kubeconfig", "--data", data, "--token", rig.path("bob.token"))
      writeFileSync(rig.path("bob.kubeconfig"), printed.stdout)
      const page = await rig.run("dashboard", "--data", data)
      expect(page.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\?token=[0-9a-f]{64}\n$/)
      expect((await first.end()).code).toBe(0)
      const second = rig.start("serve", "--data", data)
      expect((await client.list(loops)).items.length).toBeGreaterThan(0)
      await second.said(/^page /m)
      expect(serverOf(file)).toBe(server)
      const status = await rig.run("status", "--kubeconfig", rig.path("bob.kubeconfig"))
      expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining("revision") })
      const refused = await rig.run("token", "list", "--kubeconfig", file)
      expect(refused).toMatchObject({ stderr: expect.stringContaining("SPT-CLI-002") })
      expect(refused.code).not.toBe(0)
    } finally {
      client.close()
    }
  })

  it("lets one program at a time run under a lease, in terms that grow", async () => {
    const data = rig.path("d")
    await rig.start("serve", "--data", data).said(/^page /m)
    const wait =
      "console.log('term', process.env.SETPOINT_FENCE);" +
      `setInterval(() => require('fs').existsSync('go') && process.exit(7), 20)`
    const run = () =>
      rig.start("lease", "run", "job", "--data", data, "--", process.execPath, "-e", wait)
    const first = run()
    await first.said(/^term 0$/m)
    const second = run()
    const leases = ["get", "leases", "job", "--data", data, "-o", "json"]
    const lease = JSON.parse((await rig.run(...leases)).stdout)
    expect(lease.spec.leaseTransitions).toBe(0)
    expect(second.stdout).toBe("")
    writeFileSync(rig.path("go"), "")
    expect((await first.finished).code).toBe(7)
    expect(await second.finished).toMatchObject({ code: 7, stdout: "term 1\n" })
  })

  itInFull("says which address is taken, and refuses a certificate that is none", async () => {
    const first = rig.start("serve", "--data", rig.path("a"))
    await first.said(/^page /m)
    const port = new URL(serverOf(rig.path("a", "kubeconfig")) ?? "").port
    const taken = await rig.run("serve", "--data", rig.path("b"), "--port", port)
    expect(taken.stderr).toContain(`cannot listen on 127.0.0.1:${port}`)
    const args = ["serve", "--data", rig.path("c"), "--tls-cert", rig.path("a", "token")]
    expect((await rig.run(...args)).stderr).toContain("SPT-TLS-002")
    const odd = ["serve", "--data", rig.path("c"), "--tls-san", "not a name"]
    expect((await rig.run(...odd)).stderr).toContain("SPT-TLS-003")
  })
})
