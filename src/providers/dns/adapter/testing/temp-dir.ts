// A fresh real directory for the files of a name server, removed afterwards with whatever is in it.

import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TempDir {
  readonly path: string
  remove(): void
}

export function makeTempDir(): TempDir {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "setpoint-dns-")))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
