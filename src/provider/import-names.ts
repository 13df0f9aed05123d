// Names for imported objects: the same thing always gets the same name, whatever else is imported,
// and two things never get one. Plain names stay readable; anything that had to be changed carries
// a few digits of its hash.

import { sha256 } from "../base/hash.ts"

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomain = new RegExp(`^${label}(\\.${label})*$`)
const lengthMax = 200

export function objectNameOf(name: string): string {
  const plain = name.replaceAll("/", "--")
  if (plain.length <= lengthMax && !name.includes("--") && subdomain.test(plain)) return plain
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, lengthMax - 20)
    .replaceAll(/^-+|-+$/g, "")
  const digits = sha256(name).slice(0, 10)
  return words === "" ? `x-${digits}` : `${words}-${digits}`
}
