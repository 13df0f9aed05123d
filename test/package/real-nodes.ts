// Real Nodes of the versions that Setpoint is promised for: those on this machine, else what npm
// brings, kept in a cache. One that can't be had is skipped by name.

import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { noteSkipped, type ToolCheck } from "../tools.ts"

export interface RealNode extends ToolCheck {
  /** Of the folder that holds `node`: for a PATH. */
  readonly folder: string
}

const brought = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0" } as const
const cache = fileURLToPath(new URL("../../node_modules/.cache/setpoint-nodes", import.meta.url))

export function requireNode(major: keyof typeof brought): RealNode {
  const places = [dirname(process.execPath), ...(process.env.PATH ?? "").split(":")]
  const here = places.find((folder) => majorOf(folder) === major)
  const folder = here ?? fetched(brought[major])
  if (folder !== undefined) return { missing: false, name: "", folder }
  const name = `Node ${major} (npm)`
  noteSkipped(name)
  return { missing: true, name, folder: "" }
}

function majorOf(folder: string): number {
  if (!existsSync(join(folder, "node"))) return 0
  const args = ["-p", "process.versions.node"]
  const result = spawnSync(join(folder, "node"), args, { timeout: 10_000 })
  return result.status === 0 ? Number(String(result.stdout).split(".")[0]) : 0
}

function fetched(version: string): string | undefined {
  const place = join(cache, version)
  const folder = join(place, "bin")
  if (existsSync(join(folder, "node"))) return folder
  mkdirSync(cache, { recursive: true })
  const scratch = mkdtempSync(join(cache, "fetch-"))
  try {
    const spec = `node-linux-${process.arch}@${version}`
    const options = { cwd: scratch, timeout: 90_000 }
    const pack = spawnSync("npm", ["pack", "--silent", spec], options)
    const file = String(pack.stdout).trim().split("\n").at(-1) ?? ""
    if (pack.status !== 0) return undefined
    if (spawnSync("tar", ["xzf", file], options).status !== 0) return undefined
    renameSync(join(scratch, "package"), place)
    return folder
  } catch {
    return existsSync(join(folder, "node")) ? folder : undefined // Another test was faster.
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
