// The kubectl that documents are run with: the one that was fetched for the tests, else this
// host's.

import { spawnSync } from "node:child_process"
import { requireClient, requireTool } from "../tools.ts"

export function kubectlPath(): string | undefined {
  const fetched = requireClient("kubectl-1.35")
  if (!fetched.missing) return fetched.path
  if (requireTool("kubectl").missing) return undefined
  const found = spawnSync("sh", ["-c", "command -v kubectl"], { timeout: 10_000 })
  return String(found.stdout).trim()
}
