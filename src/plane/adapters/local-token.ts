// The token of the person who owns the data directory: DIR/token, readable by them alone. The plane
// keeps its hash; whoever can read the file is that person.

import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import type { TokenEntry } from "../../api/http/authenticate.ts"
import { sha256 } from "../../base/hash.ts"
import { hex, type Random } from "../../base/random.ts"
import { mastersGroup, type Principal } from "../../contract/principal.ts"
import { isCode, writePrivateFile } from "../../store/engines/private-files.ts"

export function localPrincipal(): Principal {
  return { name: userInfo().username, kind: "human", groups: [mastersGroup] }
}

export function readLocalToken(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, "token"), "utf8").trim()
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined
    throw error
  }
}

/** Makes the token at the first start. */
export function openLocalToken(directory: string, random: Random): TokenEntry {
  const known = readLocalToken(directory)
  const token = known === undefined || known === "" ? hex(random.bytes(32)) : known
  if (token !== known) writePrivateFile(join(directory, "token"), `${token}\n`)
  return { sha256: sha256(token), principal: localPrincipal() }
}
