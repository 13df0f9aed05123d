// Follows the balancer's configuration file: read at the start, on every hint that its directory
// changed, and twice a second in case a hint got lost. What can't be read or understood changes
// nothing; it is told, and the last good configuration stays.

import { type FSWatcher, watch } from "node:fs"
import { open, stat } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { type BalancerConfig, configBytesMax, readConfig } from "../../balancer/balancer-config.ts"

export interface ConfigFollower {
  close(): void
}

export interface ConfigEvents {
  changed(config: BalancerConfig): void
  broken(cause: string): void
}

const pollMs = 500

export function followConfig(path: string, events: ConfigEvents): ConfigFollower {
  let seen = ""
  let busy = false
  let again = false
  const check = async () => {
    if (busy) {
      again = true
      return
    }
    busy = true
    try {
      const { ino, size, mtimeNs } = await stat(path, { bigint: true })
      const mark = `${ino} ${size} ${mtimeNs}`
      if (mark !== seen) {
        const config = readConfig(await readBounded(path))
        seen = mark
        if (typeof config === "string") events.broken(`cannot use ${path}: ${config}`)
        else events.changed(config)
      }
    } catch (error) {
      events.broken(`cannot read ${path}: ${error instanceof Error ? error.message : error}`)
    }
    busy = false
    if (again) {
      again = false
      void check()
    }
  }
  const hints = hintsOf(dirname(path), basename(path), () => void check())
  const timer = setInterval(() => void check(), pollMs)
  void check()
  return {
    close() {
      clearInterval(timer)
      hints?.close()
    },
  }
}

async function readBounded(path: string): Promise<string> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(configBytesMax + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    if (bytesRead > configBytesMax) throw new Error(`it is longer than ${configBytesMax} bytes`)
    return buffer.toString("utf8", 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Undefined where the system gives none: then the timer alone looks. */
function hintsOf(directory: string, name: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, (_, file) => {
      if (file === null || file === name) changed()
    })
    watcher.on("error", () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
