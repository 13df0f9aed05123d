// Account files of which only the beginning can be read: root is in it, and nobody else.

import { readFileSync, writeFileSync } from "node:fs"
import type { FilesAct } from "../../../contract/world.ts"
import type { Trouble } from "../../../provider/scenarios/driver.ts"
import type { PrivateRoot } from "./private-root.ts"

export interface HalfRead {
  readonly files: FilesAct
  readonly trouble: Trouble
}

export function halfRead(real: FilesAct, root: PrivateRoot): HalfRead {
  let cut = false
  const read: FilesAct["read"] = async (...given) => {
    const bytes = await real.read(...given)
    return cut ? bytes.subarray(0, Buffer.from(bytes).indexOf("\n") + 1) : bytes
  }
  const files = new Proxy(real, {
    get: (handle, name: keyof FilesAct) => (name === "read" ? read : handle[name]),
  })
  const trouble: Trouble = async () => {
    cut = true
    // What was read before stands until the files change: they do, and say the same.
    for (const name of ["passwd", "group", "shadow"]) {
      const path = `${root.path}/etc/${name}`
      writeFileSync(path, readFileSync(path))
    }
    return async () => {
      cut = false
    }
  }
  return { files, trouble }
}
