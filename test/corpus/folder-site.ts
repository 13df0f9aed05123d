// A simulated plane over a simulated folder: the real directory source on files in memory.

import { type MemoryFiles, memoryFiles } from "../../src/sim/memory-files.ts"
import { SimRandom } from "../../src/sim/sim-random.ts"
import { createDirectorySource } from "../../src/sources/directory/directory-source.ts"
import type { SourceFiles } from "../../src/sources/directory/source-files.ts"
import { Site, type SiteOptions } from "../sim/site.ts"

export interface FolderSite {
  readonly site: Site
  readonly files: MemoryFiles
  /** Writes a manifest of a widget, or whatever text is given. */
  write(file: string, text?: string): Promise<void>
}

export const manifestText = (name: string) =>
  `apiVersion: sim.setpoint.dev/v1\nkind: Widget\nmetadata: { name: ${name} }\n` +
  `spec: { name: ${name}, size: 1, color: red }\n`

/** `wrap` comes between the source and the folder. */
export async function folderSite(
  options: SiteOptions = {},
  wrap: (files: SourceFiles) => SourceFiles = (files) => files,
): Promise<FolderSite> {
  const site = new Site(options)
  const { clock } = site
  const files = memoryFiles({ clock, random: new SimRandom(7) })
  await files.mkdir("/site", 0o755)
  const folder = wrap(files)
  site.sim.wrapSource = () => createDirectorySource({ path: "/site", files: folder, clock })
  await site.sim.start()
  await site.makeLoop()
  const write = async (file: string, text = manifestText(file)) => {
    const path = `/site/${file}.yaml`
    const temporary = await files.writeTemporary("/", new TextEncoder().encode(text), 0o644)
    await files.rename(temporary, path)
  }
  return { site, files, write }
}
