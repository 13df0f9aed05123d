// Whether a file may be run as a provider: whoever can change it acts with the plane's rights.

import { accessSync, constants, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import { execFault } from "../faults.ts"

export function checkProgram({
  name,
  path,
}: {
  readonly name: string
  readonly path: string
}): void {
  const refuse = (cause: string) => execFault("SPT-EXEC-001", { name, cause })
  if (!isAbsolute(path)) throw refuse(`${path} is not an absolute path`)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() !== true) throw refuse(`there is no file ${path}`)
  if ((stat.mode & 0o002) !== 0) throw refuse(`everyone can change ${path} (chmod o-w)`)
  if (stat.uid !== 0 && stat.uid !== process.getuid?.()) {
    throw refuse(`${path} belongs to another user`)
  }
  try {
    accessSync(path, constants.X_OK)
  } catch {
    throw refuse(`${path} is not executable (chmod +x)`)
  }
}
