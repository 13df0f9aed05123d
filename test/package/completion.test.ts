// The completion scripts in the real shells: commands, options and the names that a running plane
// knows. A shell that is not here is skipped by name.

import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PlaneRig } from "../e2e/plane/plane-rig.ts"
import { waitFor } from "../e2e/plane/wait-for.ts"
import { compiled, program } from "../program.ts"
import { requireTool } from "../tools.ts"

/** How each shell says what it would offer for the words after `setpoint`; the last is begun. */
const shells = {
  bash: `source <(setpoint completion bash)
COMP_WORDS=(setpoint "$@")
COMP_CWORD=$#
complete -p setpoint | grep -q -- "-F _setpoint setpoint" && _setpoint
printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() { [[ $2 = setpoint ]] && found=$1 }
compadd() { shift; print -l -- "$@" }
_files() { print -- "(files)" }
source <(setpoint completion zsh)
words=(setpoint "$@")
CURRENT=$#words
$found`,
  fish: `setpoint completion fish | source
complete -C "setpoint $argv"`,
} as const

let rig: PlaneRig
let bin: string
let plan = ""

beforeAll(async () => {
  rig = new PlaneRig()
  bin = join(rig.base, "bin")
  mkdirSync(bin)
  const command = join(bin, "setpoint")
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  chmodSync(command, 0o755)
  for (let number = 1; number <= 6; number++) rig.declare(`page-${number}`, "text\n")
  await rig.start()
  await rig.converged(6)
  for (let number = 1; number <= 5; number++) rmSync(rig.manifest(`page-${number}`))
  await waitFor("a plan is held", async () => (await rig.pendingPlan()) !== undefined)
  plan = (await rig.pendingPlan())?.name ?? ""
})
afterAll(() => rig?.close())

function offered(shell: keyof typeof shells, ...words: readonly string[]): string[] {
  const named = ["--data", rig.data, ...words]
  const args = ["-c", shells[shell], shell === "fish" ? "--" : shell, ...named]
  const PATH = `${bin}:${process.env.PATH}`
  const env = { ...process.env, PATH, HOME: rig.base, NODE_COMPILE_CACHE: compiled }
  const result = spawnSync(shell, args, { env, cwd: rig.base, timeout: 60_000 })
  expect(String(result.stderr)).toBe("")
  return String(result.stdout).trim().split("\n").sort()
}

describe.each(["bash", "zsh", "fish"] as const)("completing in %s", (shell) => {
  const tool = requireTool(shell)
  const offers = (...words: readonly string[]) => offered(shell, ...words)

  it.skipIf(tool.missing)("offers commands, subcommands and options", () => {
    expect(offers("ro")).toEqual(["rollback"])
    expect(offers("checkpoint", "cr")).toEqual(["create"])
    expect(offers("stop", "--del")).toEqual(["--deletes"])
    expect(offers("get", "files", "--output", "y")).toEqual(["yaml"])
  })

  it.skipIf(tool.missing)("offers loops, plans, kinds and objects of the running plane", () => {
    expect(offers("stop", "si")).toEqual(["site"])
    expect(offers("report", "default.s")).toEqual(["default.site"])
    expect(offers("approve", "site-")).toEqual([plan])
    expect(offers("get", "balancer")).toEqual(["balancer", "balancers"])
    expect(offers("describe", "file", "page-6")).toEqual(["page-6"])
    expect(offers("explain", "file/page-6")).toEqual(["file/page-6"])
  })

  it.skipIf(tool.missing)("is quiet where there is no plane, and leaves files to the shell", () => {
    rmSync(join(rig.base, "nothing"), { recursive: true, force: true })
    const none = offers("--data", join(rig.base, "nothing"), "stop", "zz")
    expect(none.filter((word) => word !== "" && word !== "(files)")).toEqual([])
  })
})
