// Checks of a data directory, with a plane on it or not. Reads only, and never takes the lock.

import { existsSync, lstatSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { toFault } from "../../base/faults.ts"
import { systemClock } from "../../base/system.ts"
import { resumeWords, stopText } from "../../contract/stop.ts"
import type { Store } from "../../contract/store.ts"
import { ledgerKeys } from "../../ledger/keys.ts"
import { scanPrefix } from "../../ledger/scan.ts"
import { verifyJournal } from "../../ledger/verify-journal.ts"
import { secretKeyPath } from "../../plane/adapters/secret-key.ts"
import { stopFile } from "../../plane/adapters/stop-file.ts"
import { EndingStops } from "../../plane/ending-stops.ts"
import { readIdentity } from "../../store/engines/identity-file.ts"
import { openReadOnlyStore } from "../../store/engines/open-read-only-store.ts"
import { storePath } from "../../store/engines/private-files.ts"
import { openSnapshot } from "../../store/engines/snapshot.ts"
import { lazyClient } from "../lazy-client.ts"
import { type Finding, fail, ok, warn } from "./finding.ts"

const answerMs = 3000

export function checkPermissions(directory: string): Finding[] {
  const findings: Finding[] = []
  const user = process.getuid?.()
  for (const path of [directory, storePath(directory), join(directory, "token")]) {
    if (!existsSync(path)) continue
    const { mode, uid } = lstatSync(path)
    const name = path === directory ? "DIR" : `DIR/${path.slice(directory.length + 1)}`
    if (user !== undefined && user !== 0 && uid !== user) {
      const hint = "run Setpoint as the user who owns the directory"
      findings.push(fail("files", `${name} belongs to user ${uid}`, hint))
    }
    if ((mode & 0o077) !== 0) {
      const hint = `chmod go-rwx ${path}`
      const what = `${name} is open to others (${(mode & 0o777).toString(8)})`
      findings.push(warn("files", what, hint))
    }
  }
  return findings.length > 0 ? findings : [ok("files", "private to their owner")]
}

export function checkIdentity(directory: string): Finding {
  try {
    const identity = readIdentity(directory)
    if (identity !== undefined) return ok("identity", `plane ${identity.planeId}`)
    const hint = "`setpoint up` makes one; a directory that should have one lost it"
    return warn("identity", "no plane has been made here", hint)
  } catch (error) {
    const { message, hint } = toFault(error)
    return fail("identity", message, hint)
  }
}

/** The process that holds the directory, the socket, and whether it answers. */
export async function checkPlane(directory: string): Promise<Finding> {
  const pid = readPid(directory)
  if (existsSync(join(directory, "api.sock"))) {
    try {
      const client = lazyClient(directory, { timeoutMs: answerMs })
      await client.call("GET", "/setpoint/v1/status").finally(() => client.close())
      return ok("plane", `running${pid === undefined ? "" : ` (process ${pid})`} and answering`)
    } catch (error) {
      if (pid !== undefined && isAlive(pid)) {
        const hint = "it may be blocked; its output says more, and `setpoint stop` works regardless"
        return fail("plane", `process ${pid} holds it: ${toFault(error).message}`, hint)
      }
      return ok("plane", "not running; the last one did not end in order, which is fine")
    }
  }
  return ok("plane", "not running")
}

export async function checkStore(directory: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const broken = (check: string, error: unknown) => {
    const { message, hint } = toFault(error)
    findings.push(fail(check, message, hint))
  }
  let store: Store
  try {
    const snapshot = openSnapshot(directory)
    const result = snapshot.db.prepare("PRAGMA quick_check(1)").get()?.quick_check
    snapshot.db.close()
    if (result !== "ok") {
      const hint = "restore the newest backup with `setpoint restore`"
      return [fail("store", `it is damaged: ${String(result)}`, hint)]
    }
    store = await openReadOnlyStore(directory)
  } catch (error) {
    broken("store", error)
    return findings
  }
  findings.push(ok("store", `sound, revision ${store.revision}`))
  try {
    let entries = 0
    const loops = await journalLoops(store)
    for (const loop of loops) entries += await verifyJournal(store, loop)
    findings.push(ok("journal", `${entries} entries of ${loops.length} journals verified`))
  } catch (error) {
    broken("journal", error)
  } finally {
    await store.close()
  }
  return findings
}

async function journalLoops(store: Store): Promise<string[]> {
  const loops: string[] = []
  for await (const { key } of scanPrefix(store, ledgerKeys.journalHeads)) {
    loops.push(key.slice(ledgerKeys.journalHeads.length))
  }
  return loops
}

export function checkKey(directory: string, planeId: string | undefined): Finding[] {
  if (planeId === undefined) return []
  const path = secretKeyPath(planeId)
  if (!existsSync(path)) {
    const hint = `without it secrets count as unknown; bring ${path} back, or use --key-file`
    return [warn("key", "the key for hashes of secrets is not at its usual place", hint)]
  }
  if (path.startsWith(`${directory}/`)) {
    return [fail("key", "it lies inside the data directory", "move it away; use --key-file")]
  }
  const open = (statSync(path).mode & 0o077) !== 0
  return [open ? fail("key", "others can read it", `chmod 600 ${path}`) : ok("key", path)]
}

export function checkStops(directory: string): Finding[] {
  return new EndingStops(stopFile(directory), systemClock)
    .entries()
    .map((entry) => warn("stop", stopText(entry), `\`setpoint ${resumeWords(entry)}\` lifts it`))
}

/** When the store was last written, for the check of the clock. */
export function newestWrite(directory: string): number | undefined {
  const times = [storePath(directory), `${storePath(directory)}-wal`].flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat === undefined ? [] : [stat.mtimeMs]
  })
  return times.length === 0 ? undefined : Math.max(...times)
}

function readPid(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, "lock.pid"), "utf8").trim())
    return Number.isInteger(pid) && pid > 0 && isAlive(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
