// Which loops `setpoint plan PATH` is about: the folder as `up` would keep it, or the Loop
// objects at the top of it.

import { resolve } from "node:path"
import type { ApiObject } from "../object/object.ts"
import { sourceRoot } from "./running/source-root.ts"
import { folderLoop, loopNameOf, readUpFolder } from "./running/up-folder.ts"

export interface PlanLoopOptions {
  readonly namespace: string
  readonly mode: string
  readonly name?: string
  readonly sourceRoot?: string
}

export function folderAsLoop(path: string, options: PlanLoopOptions): readonly ApiObject[] {
  const { namespace, mode } = options
  const folder = resolve(path)
  const root = sourceRoot(folder, options.sourceRoot)
  const place = root === undefined ? { path: folder } : { path: folder, root }
  const name = options.name ?? loopNameOf(folder, namespace)
  return [folderLoop(name, namespace, place, mode)]
}

/** Undefined when the folder holds manifests of its own. */
export function loopsInFolder(
  path: string,
  { namespace }: PlanLoopOptions,
): readonly ApiObject[] | undefined {
  const { loops } = readUpFolder(path, namespace)
  return loops.length === 0 ? undefined : loops
}
