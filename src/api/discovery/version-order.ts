// The order in which clients should prefer versions: v2 before v1, both before v1beta2 and
// v1alpha1, and names that follow no such pattern last, by alphabet.

interface Parts {
  readonly stage: number
  readonly major: number
  readonly minor: number
}

const pattern = /^v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?$/

/** For sort: the preferred one comes first. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)]
  if (a === undefined || b === undefined) {
    if (a !== undefined || b !== undefined) return a === undefined ? 1 : -1
    return left < right ? -1 : Number(left > right)
  }
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor
}

function partsOf(version: string): Parts | undefined {
  const match = pattern.exec(version)
  if (match === null) return undefined
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) }
}
