// What a Directory object says, and a look at the real directory. Times and size are left out of
// its token: they change with every entry, and the entries are not the directory's business.

import { z } from "zod"
import type { JsonObject } from "../../base/json.ts"
import type { Absent, Unknown } from "../../contract/observation.ts"
import type { FilesRead } from "../../contract/world.ts"
import type { KindTarget } from "../../provider/define-kind.ts"
import { untilAborted } from "../../provider/until-aborted.ts"
import { modeText, ownerFacts } from "./facts.ts"
import { modeField, placeFields } from "./file-spec.ts"
import type { HostMemory } from "./host-memory.ts"
import { look, type Seen } from "./look.ts"
import { isUnfinished } from "./unfinished-directory.ts"

export const directorySpec = z.strictObject({
  ...placeFields,
  mode: modeField("0755"),
  purge: z
    .boolean()
    .optional()
    .describe("Also remove temporary files that a crash of Setpoint left here; nothing else."),
})

export type DirectorySpec = z.output<typeof directorySpec>

interface SeenDirectory extends Seen {
  /** Temporary files of ours that nobody uses any more, when the spec wants them purged. */
  readonly leftovers: readonly string[]
  /** As a create of ours leaves it when it is cut off. */
  readonly unfinished: boolean
}

export type DirectorySight = SeenDirectory | Absent | Unknown

export async function lookAt(
  files: FilesRead,
  target: KindTarget<DirectorySpec>,
  memory: HostMemory,
  signal: AbortSignal,
): Promise<DirectorySight> {
  const { path, root = "/" } = target.desired
  const sight = await look(files, { path, root }, memory, {
    applied: target.applied !== undefined,
    content: false,
    signal,
  })
  if (sight.kind !== "seen") return sight
  try {
    return await untilAborted(signal, async () => ({
      ...sight,
      leftovers: await leftoversIn(files, target.desired, sight, memory),
      unfinished: await isUnfinished(files, path, sight.stat),
    }))
  } catch (error) {
    return { kind: "unknown", cause: error instanceof Error ? error.message : String(error) }
  }
}

async function leftoversIn(
  files: FilesRead,
  { path, purge }: DirectorySpec,
  { stat }: Seen,
  memory: HostMemory,
): Promise<readonly string[]> {
  if (purge !== true) memory.purging.delete(path)
  if (purge !== true || stat.type !== "directory") return []
  memory.purging.add(path)
  return memory.temporaries.leftovers(files, path, memory.leftoverBefore())
}

export function directoryFacts(
  files: FilesRead,
  { stat, leftovers }: SeenDirectory,
  spec: DirectorySpec,
  applied?: JsonObject,
): JsonObject {
  const { path, root, purge } = spec
  const place = { path, ...(root === undefined ? {} : { root }), type: stat.type }
  if (stat.type !== "directory") return place
  return {
    ...place,
    mode: modeText(stat.mode),
    ...ownerFacts(files, stat, spec, applied),
    // "Purged" is a fact like any other: false while there is something to remove.
    ...(purge === undefined ? {} : { purge: purge && leftovers.length === 0 }),
  }
}

export function directoryToken({ stat, leftovers }: SeenDirectory): string {
  const own = `${stat.inode}.${modeText(stat.mode)}.${stat.uid}.${stat.gid}`
  if (stat.type !== "directory") return `${own}.${stat.type}.${stat.mtimeNs}.${stat.ctimeNs}`
  return leftovers.length === 0 ? own : `${own}.${leftovers.join("/")}`
}
