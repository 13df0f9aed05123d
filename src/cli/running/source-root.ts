// Where the bases of a folder's overlay may lie, when a person names the folder itself: what they
// say, else the repository that the folder is part of. A folder without an overlay needs none.

import { existsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { folderWithin } from "../../sources/overlay/base-path.ts"
import { cliFault } from "../faults.ts"

export function sourceRoot(folder: string, given: string | undefined): string | undefined {
  const path = resolve(folder)
  if (given === undefined) {
    return existsSync(join(path, "overlay.yaml")) ? repositoryOf(path) : undefined
  }
  const root = resolve(given)
  const hint = "name a folder above the one that holds overlay.yaml"
  const what = `--source-root ${given}`
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw cliFault("SPT-CLI-002", { what, why: "there is no such folder", hint })
  }
  if (folderWithin(root, path) === undefined) {
    throw cliFault("SPT-CLI-002", { what, why: `${folder} does not lie in it`, hint })
  }
  return root
}

/** The nearest folder above that git keeps. */
export function repositoryOf(path: string): string | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder
    if (folder === dirname(folder)) return undefined
  }
}
