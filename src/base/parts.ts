// Where the parts of the program are that are started or served instead of imported: workers, the
// shim, pages. Installed, each is a file beside the module that wants it; in the single executable
// they are inside of it. Nothing else asks which of the two this is.

import { getAsset, getAssetKeys, isSea } from "node:sea"
import { fileURLToPath } from "node:url"

const inExecutable = isSea()

/** The part's bytes when the program is one executable; undefined when parts are files. */
export function partBytes(name: string): Uint8Array | undefined {
  if (!inExecutable || !getAssetKeys().includes(name)) return undefined
  return new Uint8Array(getAsset(name))
}

export function partText(name: string): string | undefined {
  const bytes = partBytes(name)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

/** Names of parts that begin so; none when parts are files. */
export function partNames(prefix: string): readonly string[] {
  return inExecutable ? getAssetKeys().filter((name) => name.startsWith(prefix)) : []
}

/** The module NAME beside the one at `base`: source while developing, compiled when installed. */
export function moduleBeside(name: string, base: string): URL {
  return new URL(`./${name}.${base.endsWith(".ts") ? "ts" : "js"}`, base)
}

/** The words that start this very program again; `main` is where its command line is. */
export function ownCommand(main: URL, flags: readonly string[] = []): readonly string[] {
  return inExecutable ? [process.execPath] : [process.execPath, ...flags, fileURLToPath(main)]
}

/** The words that run a script of ours from the file named next: there may be no other Node. */
export function scriptCommand(): readonly string[] {
  return inExecutable ? [process.execPath, "--script"] : [process.execPath]
}
