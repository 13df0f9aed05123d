// One signal, to a process or, with a negative number, to a group. Whether the right one is meant
// is for the caller to know.

import { callFault } from "./process-place.ts"

/** Somebody is in this group, whether or not we may send them anything. */
export function groupExists(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch (error) {
    return Object(error).code !== "ESRCH"
  }
}

/** False when there is nobody. */
export function sendTo(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if (Object(error).code === "ESRCH") return false
    throw callFault("signal", String(pid), error)
  }
}
