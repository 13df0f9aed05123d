// The keys for hashes and encryption of secret values. They live outside the data directory, so
// that a copy of the data gives no secret away: by default in the user's configuration, or where
// --key-file says. One key a line: the first makes hashes for ever, the last one encrypts.

import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { sha256 } from "../../base/hash.ts"
import { hex, type Random } from "../../base/random.ts"
import type { Sealer } from "../../contract/sealer.ts"
import { createSecretHasher, type SecretHasher } from "../../reconcile/secrets.ts"
import {
  createPrivateDirectory,
  isCode,
  writePrivateFile,
} from "../../store/engines/private-files.ts"
import { planeFault } from "../faults.ts"
import { aesSealer } from "./aes-sealer.ts"

export function openSecretKey(planeId: string, random: Random, keyFile?: string): SecretHasher {
  const path = keyFile ?? secretKeyPath(planeId)
  const key = readKey(path) ?? makeKey(path, random)
  return createSecretHasher(sha256(key).slice(0, 12), key)
}

/** What Secrets are encrypted with; openSecretKey has made the file. */
export function openSealer(planeId: string, random: Random, keyFile?: string): Sealer {
  const path = keyFile ?? secretKeyPath(planeId)
  const read = () => readKeys(path) ?? []
  const add = () => {
    const lines = [...read(), random.bytes(32)].map((key) => `${hex(key)}\n`)
    writePrivateFile(path, lines.join(""))
  }
  return aesSealer({ read, add }, random)
}

/** Opens with the keys that are there and makes none: a value of another key stays closed. */
export function readSealer(planeId: string, random: Random, keyFile?: string): Sealer {
  const keys = readKeys(keyFile ?? secretKeyPath(planeId)) ?? []
  const add = () => {
    throw new Error("a command that only reads makes no key")
  }
  return aesSealer({ read: () => keys, add }, random)
}

/** For commands that only read: a key that is not there is not made. */
export function readSecretKey(planeId: string, keyFile?: string): SecretHasher {
  const key = readKey(keyFile ?? secretKeyPath(planeId))
  return key === undefined
    ? createSecretHasher("none", new Uint8Array(32))
    : createSecretHasher(sha256(key).slice(0, 12), key)
}

/** Where the key is kept unless --key-file says otherwise. */
export function secretKeyPath(planeId: string): string {
  const config = process.env.XDG_CONFIG_HOME
  const base = config === undefined || config === "" ? join(homedir(), ".config") : config
  return join(base, "setpoint", "keys", planeId)
}

const keyForm = /^[0-9a-f]{64}$/i

function readKey(path: string): Uint8Array | undefined {
  return readKeys(path)?.[0]
}

function readKeys(path: string): readonly Uint8Array[] | undefined {
  try {
    const lines = readFileSync(path, "utf8").split("\n")
    const keys = lines.map((line) => line.trim()).filter((line) => line !== "")
    // What is read only in part, or not at all, would be a key that anybody can guess.
    if (!keys.every((key) => keyForm.test(key))) throw planeFault("SPT-KEY-001", { file: path })
    return keys.map((key) => new Uint8Array(Buffer.from(key, "hex")))
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined
    throw error
  }
}

function makeKey(path: string, random: Random): Uint8Array {
  const key = random.bytes(32)
  createPrivateDirectory(dirname(path))
  writePrivateFile(path, `${hex(key)}\n`)
  return key
}
