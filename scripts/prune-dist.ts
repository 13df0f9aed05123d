// Removes from dist what no source makes any more. The compiler only ever adds, and what lies there
// is what gets packed.

import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

/** Folders of dist that are made by other steps than the compiler's. */
const others = /^(bundle|dashboard|setpoint-)/
const made = /^(.*?)(\.d\.ts|\.js)$/

export function pruneDist(source: string, dist: string): string[] {
  const folders = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const present = readdirSync(dist, { withFileTypes: true })
  const old = present
    .filter((entry) => entry.isDirectory() && !folders.includes(entry.name))
    .filter(({ name }) => !others.test(name))
    .map(({ name }) => name)
  for (const path of readdirSync(dist, { recursive: true }).map(String)) {
    if (others.test(path)) continue
    const name = made.exec(path)?.[1]
    const stale = name !== undefined && !existsSync(join(source, `${name}.ts`))
    if (stale || path.endsWith(".js.map")) old.push(path)
  }
  for (const path of old) rmSync(join(dist, path), { recursive: true, force: true })
  return old
}
