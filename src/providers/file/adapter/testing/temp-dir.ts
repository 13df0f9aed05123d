// A fresh real directory for each test, removed afterwards with whatever is in it.

import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TempDir {
  readonly path: string
  remove(): void
}

/** Before the first test. */
export const noTempDir: TempDir = { path: "/nowhere", remove: () => {} }

export function makeTempDir(): TempDir {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "setpoint-file-")))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
