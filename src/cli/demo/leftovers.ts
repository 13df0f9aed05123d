// Nothing stays of a demo. Every process that belongs to one carries the demo's folder in its
// environment: what the demo starts itself by a variable, what its plane starts by its place. They
// are found in /proc by that, and by nothing else, and ended; then the folder goes.

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, join } from "node:path"

/** In the environment of everything that the demo itself starts. */
export const demoVariable = "SETPOINT_DEMO"

const placeVariable = "SETPOINT_PLACE"
const marker = "naive.mjs"
const roundsMax = 200
const pauseMs = 25

/** Processes of the demo in this folder that are alive, without this one. */
export function processesOf(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => belongs(name, folder))
    .map(Number)
}

function belongs(pid: string, folder: string): boolean {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
    const ours = entries.some(
      (entry) =>
        entry === `${demoVariable}=${folder}` || entry.startsWith(`${placeVariable}=${folder}/`),
    )
    return ours && readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] !== "Z"
  } catch {
    return false // It ended meanwhile, or is somebody else's.
  }
}

/** Ends everything that belongs to the demo, also what is started meanwhile. */
export async function endProcesses(folder: string): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    const left = processesOf(folder)
    if (left.length === 0) return
    for (const pid of left) kill(pid)
    await new Promise<void>((resolve) => void setTimeout(resolve, pauseMs))
  }
}

export async function removeDemo(folder: string): Promise<void> {
  await endProcesses(folder)
  if (!existsSync(folder)) return
  chmodSync(join(folder, "site"), 0o755)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** For the guardian: nothing but a demo's folder is ever taken. */
export async function removeKilledDemo(folder: string): Promise<boolean> {
  const known = /^setpoint-demo-\w{6}$/.test(basename(folder)) && existsSync(join(folder, marker))
  if (known) await removeDemo(folder)
  return known
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {} // It ended by itself.
}
