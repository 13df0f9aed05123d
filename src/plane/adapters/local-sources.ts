// Opens what a loop names as its source on this host.

import type { Clock } from "../../base/clock.ts"
import type { LoopSource } from "../../contract/loop.ts"
import type { Source } from "../../contract/source.ts"
import { nodeSourceFiles } from "../../sources/directory/adapter/node-files.ts"
import { createDirectorySource } from "../../sources/directory/directory-source.ts"

export function openLocalSource({ directory }: LoopSource, clock: Clock): Source {
  return createDirectorySource({ path: "", ...directory, clock, files: nodeSourceFiles })
}
