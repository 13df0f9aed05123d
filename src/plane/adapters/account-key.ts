// The key that signs tokens of service accounts: DIR/pki/sa.key, the owner's alone. It is in no
// backup; a plane that was restored elsewhere makes a new one, and older tokens open nothing there.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isCode, writePrivateFile } from "../../store/engines/private-files.ts"

export function openAccountKey(directory: string): KeyObject {
  const file = join(directory, "pki", "sa.key")
  try {
    return createPrivateKey(readFileSync(file))
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error
  }
  mkdirSync(join(directory, "pki"), { recursive: true, mode: 0o700 })
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  writePrivateFile(file, String(privateKey.export({ type: "pkcs8", format: "pem" })))
  return privateKey
}
