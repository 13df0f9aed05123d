// Which outside programs a test needs. A suite whose tool is missing is skipped by name, and the
// name is written where scripts/test.ts finds it, so that the summary can say what was not tested.

import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface ToolCheck {
  /** For `describe.skipIf(tool.missing)`. */
  readonly missing: boolean
  /** "strace", or "" when nothing is missing. */
  readonly name: string
}

const known = new Map<string, boolean>()

/** All named tools must be there; "name: arg arg" also runs it and wants exit code 0. */
export function requireTool(...tools: readonly string[]): ToolCheck {
  const name = tools.find((tool) => !works(tool))
  if (name === undefined) return { missing: false, name: "" }
  const label = name.split(":")[0] ?? name
  noteSkipped(label)
  return { missing: true, name: label }
}

export function noteSkipped(label: string): void {
  const log = process.env.SETPOINT_TEST_SKIPS
  if (log !== undefined && log !== "") appendFileSync(log, `${label}\n`)
}

function works(tool: string): boolean {
  const before = known.get(tool)
  if (before !== undefined) return before
  const [program = "", rest] = tool.split(/:\s*/, 2)
  const args = rest === undefined ? [] : rest.split(" ")
  const result =
    rest === undefined
      ? spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { timeout: 10_000 })
      : spawnSync(program, args, { timeout: 10_000 })
  const found = result.status === 0
  known.set(tool, found)
  return found
}

/** Runs a command without the capabilities that let root ignore permissions. */
export const withoutOverride: readonly string[] = [
  "setpriv",
  "--bounding-set",
  "-dac_override,-dac_read_search",
  "--inh-caps",
  "-dac_override,-dac_read_search",
]

/** setpriv as `withoutOverride` uses it, where we are root; others need nothing. */
export function dropsOverride(): { readonly check: ToolCheck; readonly prefix: readonly string[] } {
  if (process.getuid?.() !== 0) return { check: { missing: false, name: "" }, prefix: [] }
  const check = requireTool(`setpriv: ${withoutOverride.slice(1).join(" ")} true`)
  return { check, prefix: withoutOverride }
}

/** A private mount namespace in which a tmpfs can be mounted. */
export function mountsPrivately(): ToolCheck {
  return requireTool("unshare: -m mount -t tmpfs none /mnt")
}

export interface ClientProgram extends ToolCheck {
  readonly path: string
}

/** "kubectl-1.35", "helm-4" ...: a real client that `npm run clients` has fetched. */
export function requireClient(name: string): ClientProgram {
  const path = fileURLToPath(new URL(`./clients/bin/${name}`, import.meta.url))
  if (existsSync(path)) return { missing: false, name: "", path }
  noteSkipped(`${name} (npm run clients)`)
  return { missing: true, name, path }
}
