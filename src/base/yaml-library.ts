// The YAML library, loaded when a text first needs it: plain manifests are read without it, and
// loading it costs a short command more than all of its own work.

import { createRequire } from "node:module"

type Library = typeof import("yaml")

let library: Library | undefined

export function yamlLibrary(): Library {
  library ??= createRequire(import.meta.url)("yaml") as Library
  return library
}
