// Acts name their target by the path that it really has: what changes files leads through no
// symlink, and the components of a root may be some.

import type { ActContext } from "../../contract/provider.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import { findGround } from "./bounds.ts"
import type { HostMemory } from "./host-memory.ts"

interface Placed {
  readonly path: string
  readonly root?: string | undefined
}

export async function atRealPlace<S extends Placed>(
  target: KindTarget<S>,
  { world: { files }, signal }: ActContext,
  { bounds }: HostMemory,
): Promise<KindTarget<S>> {
  const { path, root = "/" } = target.desired
  if (root === "/") return target
  const find = () => findGround(files, { path, root }, bounds)
  const ground = await untilAborted(signal, find).catch(() => undefined)
  // Whatever is wrong with the place, the act finds it as well and says so.
  if (ground?.kind !== "ground") return target
  return { ...target, desired: { ...target.desired, ...ground.place } }
}
