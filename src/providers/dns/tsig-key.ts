// The key for a zone: from the object itself, or from a file as tsig-keygen writes it.

import type { FilesRead } from "../../contract/world.ts"
import { dnsFault } from "./faults.ts"
import { parseName } from "./wire/name.ts"
import { type TsigAlgorithm, type TsigKey, tsigAlgorithms } from "./wire/tsig.ts"

const fileBytesMax = 16 * 1024

export interface GivenKey {
  readonly name: string
  readonly algorithm?: string
  readonly secret: string
}

export function makeKey(zone: string, given: GivenKey): TsigKey {
  const wrong = (cause: string) => dnsFault("SPT-DNS-007", { zone, cause })
  const algorithm = (given.algorithm ?? "hmac-sha256").toLowerCase().replace(/\.$/, "")
  const known = tsigAlgorithms.find((one) => one === algorithm)
  if (known === undefined) throw wrong(`the algorithm ${JSON.stringify(algorithm)} is not known`)
  const text = given.secret.trim()
  const secret = Buffer.from(text, "base64")
  if (secret.length === 0 || secret.toString("base64").replaceAll("=", "") !== unpadded(text)) {
    throw wrong("its secret is not base64")
  }
  return { name: parseName(given.name, "."), algorithm: known satisfies TsigAlgorithm, secret }
}

const unpadded = (text: string): string => text.replaceAll("=", "")

/** `key "name" { algorithm hmac-sha256; secret "..."; };`, comments allowed. */
export function parseKeyFile(zone: string, text: string): TsigKey {
  // A base64 secret may hold two slashes, so a comment needs a space before it.
  const bare = text.replaceAll(/(^|\s)(\/\/|#)[^\n]*/g, "$1")
  const name = /\bkey\s+"?([^\s"{]{1,255})"?\s*\{/.exec(bare)?.[1]
  const algorithm = /\balgorithm\s+"?([A-Za-z0-9.-]{1,64})"?\s*;/.exec(bare)?.[1]
  const secret = /\bsecret\s+"?([A-Za-z0-9+/=]{1,1024})"?\s*;/.exec(bare)?.[1]
  if (name === undefined || algorithm === undefined || secret === undefined) {
    const cause = 'the file is not like `key "name" { algorithm ...; secret "..."; };`'
    throw dnsFault("SPT-DNS-007", { zone, cause })
  }
  return makeKey(zone, { name, algorithm, secret })
}

export async function readKeyFile(zone: string, path: string, files: FilesRead): Promise<TsigKey> {
  const bytes = await files.read(path, fileBytesMax)
  return parseKeyFile(zone, Buffer.from(bytes).toString("utf8"))
}
