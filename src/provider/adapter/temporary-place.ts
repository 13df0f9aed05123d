// A fresh directory for one scenario, removed afterwards with everything in it.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export function makeTemporaryPlace(): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), "spt-scenario-"))
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
