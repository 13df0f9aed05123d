// How large a copy is, while a fetch fills it.

import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

/** Of packs, finished or not, and loose objects: nothing else of a bare copy grows. */
export async function copyBytes(copy: string): Promise<number> {
  const objects = join(copy, "objects")
  let bytes = 0
  for (const folder of await readdir(objects).catch(() => [])) {
    const names = await readdir(join(objects, folder)).catch(() => [])
    for (const name of names) {
      const found = await stat(join(objects, folder, name)).catch(() => undefined)
      bytes += found?.size ?? 0
    }
  }
  return bytes
}
