// identity.json names the plane that a data directory belongs to. It is written last when a
// directory is made, so where it exists a store must exist too: a directory that has it but no
// content has lost something and must not start empty.

import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "../../base/json.ts"
import { protects } from "../../base/protections.ts"
import { storeFault } from "../faults.ts"
import { isCode, writePrivateFile } from "./private-files.ts"
import { storeFormat } from "./sqlite-schema.ts"

const maxBytes = 64 * 1024

export interface IdentityFile {
  readonly format: number
  readonly planeId: string
  /** RFC 3339. */
  readonly createdAt: string
}

export function identityPath(directory: string): string {
  return join(directory, "identity.json")
}

/** Undefined when there is none; anything unreadable is a fault, never "none". */
export function readIdentity(directory: string): IdentityFile | undefined {
  const path = identityPath(directory)
  const lost = (cause: string) => storeFault("SPT-STORE-022", { directory, cause })
  let text: string
  try {
    if (statSync(path).size > maxBytes) throw lost("identity.json is far too large")
    text = readFileSync(path, "utf8")
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined
    if (!(error instanceof Error && "syscall" in error)) throw error
    throw storeFault("SPT-STORE-025", { directory, cause: error.message }, error)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw lost("identity.json is not JSON")
  }
  if (!isObject(value)) throw lost("identity.json is not an object")
  const { format, planeId, createdAt } = value
  if (typeof format !== "number" || typeof planeId !== "string" || typeof createdAt !== "string")
    throw lost("identity.json lacks format, planeId or createdAt")
  if (format > storeFormat && protects("newer-format-refused"))
    throw storeFault("SPT-STORE-024", { directory, found: format, known: storeFormat })
  return { format, planeId, createdAt }
}

export function writeIdentity(directory: string, identity: IdentityFile): void {
  writePrivateFile(identityPath(directory), `${JSON.stringify(identity, null, 2)}\n`)
}
