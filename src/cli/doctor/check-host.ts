// Checks of the host: Node, clock, disk space, how many files may be watched. Reads only.

import { readFileSync, statfsSync } from "node:fs"
import { type Finding, fail, ok, warn } from "./finding.ts"

const neededNode = [22, 16] as const

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  const fine = major > neededNode[0] || (major === neededNode[0] && minor >= neededNode[1])
  if (fine) return ok("node", version)
  return fail("node", `${version} is too old`, `install Node ${neededNode.join(".")} or newer`)
}

/** The clock must not be behind what the plane already wrote. */
export function checkClock(now: number, newestWrite: number | undefined): Finding {
  const hint = "set the clock (NTP); windows and history are told by it"
  if (now < Date.UTC(2025, 0)) return fail("clock", `it says ${new Date(now).toISOString()}`, hint)
  if (newestWrite !== undefined && newestWrite > now + 60_000) {
    const ahead = new Date(newestWrite).toISOString()
    return warn("clock", `it is behind the newest write in the data directory (${ahead})`, hint)
  }
  return ok("clock", new Date(now).toISOString())
}

export function checkSpace(directory: string): Finding {
  const { bavail, bsize, blocks } = statfsSync(directory)
  const free = bavail * bsize
  const share = blocks === 0 ? 1 : bavail / blocks
  const text = `${sizeText(free)} free (${Math.round(share * 100)} %)`
  const hint = "make room; a plane whose disk is full stops acting"
  if (free < 64 * 1024 ** 2) return fail("disk", text, hint)
  return free < 1024 ** 3 || share < 0.02 ? warn("disk", text, hint) : ok("disk", text)
}

export function checkWatches(): Finding {
  const read = (name: string) => {
    try {
      return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"))
    } catch {
      return undefined
    }
  }
  const [watches, instances] = [read("max_user_watches"), read("max_user_instances")]
  if (watches === undefined || instances === undefined) {
    return warn("inotify", "its limits can't be read", "drift is still found by the timer")
  }
  const text = `${watches} watches, ${instances} instances per user`
  const hint = "raise fs.inotify.max_user_watches and max_user_instances with sysctl"
  return watches < 8192 || instances < 64 ? warn("inotify", text, hint) : ok("inotify", text)
}

export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"]
  let size = bytes
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}
