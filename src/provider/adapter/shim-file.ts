// The shim as a file that a shell can read. Installed it is one; the single executable writes its
// own beside the places of processes, where nobody else may write, and once for each version: shims
// that run may still read theirs.

import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { partText } from "../../base/parts.ts"

/** For a process whose place is this directory. */
export function shimFile(directory: string): string {
  const text = partText("process-shim.sh")
  if (text === undefined) {
    return fileURLToPath(new URL("../../../bin/process-shim.sh", import.meta.url))
  }
  return writeShim(dirname(directory), text)
}

export function writeShim(folder: string, text: string): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16)
  const path = join(folder, `shim-${digest}.sh`)
  if (contentOf(path) === text) return path
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, text, { mode: 0o600 })
  renameSync(partial, path)
  return path
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined // None yet, or none that can be read: it is written again.
  }
}
