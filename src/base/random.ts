// Randomness as a port, and the identifiers made from it.

export interface Random {
  bytes(count: number): Uint8Array
  /** Uniform in [0, 1). For jitter, never for secrets. */
  next(): number
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

/** A random UUID (version 4). */
export function newUid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  let text = ""
  for (let at = 0; at < 16; at++) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-"
    text += hexOfByte[bytes[at] ?? 0]
  }
  return text
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789"

/** A short suffix as Kubernetes' generateName makes it: no vowels, nothing that reads as a word. */
export function newSuffix(random: Random, length = 5): string {
  return Array.from(
    random.bytes(length),
    (byte) => suffixAlphabet[byte % suffixAlphabet.length],
  ).join("")
}
