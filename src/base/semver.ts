// Versions by semver.org and ranges of them as people write them (`1.x`, `^1.2`, `~1.4.0`,
// `>=1.2.0 <2.0.0 || 3.x`). Versions before a release count only where a range names one.

export interface Version {
  readonly numbers: readonly [number, number, number]
  /** What follows the dash, in parts; empty for a release. */
  readonly before: readonly string[]
}

const number = "(0|[1-9]\\d{0,8})"
const versionText = new RegExp(
  `^v?${number}\\.${number}\\.${number}(?:-([0-9A-Za-z.-]{1,100}))?(?:\\+[0-9A-Za-z.-]{1,100})?$`,
)

export function parseVersion(text: string): Version | undefined {
  const match = versionText.exec(text)
  if (match === null) return undefined
  const [, major, minor, patch, before] = match
  const parts = before === undefined ? [] : before.split(".")
  if (parts.includes("")) return undefined
  return { numbers: [Number(major), Number(minor), Number(patch)], before: parts }
}

/** Below 0 when the left one is older. */
export function compareVersions(left: Version, right: Version): number {
  for (const at of [0, 1, 2] as const) {
    const order = left.numbers[at] - right.numbers[at]
    if (order !== 0) return order
  }
  if (left.before.length === 0 || right.before.length === 0) {
    return right.before.length - left.before.length
  }
  for (let at = 0; at < Math.max(left.before.length, right.before.length); at++) {
    const order = compareParts(left.before[at], right.before[at])
    if (order !== 0) return order
  }
  return 0
}

function compareParts(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left ? 1 : -1
  const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (isLeft && isRight) return Number(left) - Number(right)
  if (isLeft !== isRight) return isLeft ? -1 : 1
  return left < right ? -1 : left > right ? 1 : 0
}

type Bound = { readonly sign: ">=" | ">" | "<=" | "<"; readonly version: Version }

export type VersionRange = (version: Version) => boolean

/** Undefined when it can't be understood. */
export function parseRange(text: string): VersionRange | undefined {
  if (text.length > 200) return undefined
  const choices = text.split("||").map((part) => boundsOf(part.trim()))
  const known = choices.filter((bounds) => bounds !== undefined)
  if (known.length !== choices.length) return undefined
  return (version) => known.some((bounds) => isWithin(version, bounds))
}

function isWithin(version: Version, bounds: readonly Bound[]): boolean {
  if (version.before.length > 0) {
    const same = (bound: Bound) =>
      bound.version.before.length > 0 && `${bound.version.numbers}` === `${version.numbers}`
    if (!bounds.some(same)) return false
  }
  return bounds.every(({ sign, version: limit }) => {
    const order = compareVersions(version, limit)
    if (sign === ">=") return order >= 0
    if (sign === ">") return order > 0
    return sign === "<=" ? order <= 0 : order < 0
  })
}

function boundsOf(text: string): readonly Bound[] | undefined {
  const terms = text.replaceAll(/([<>=^~])\s+/g, "$1").split(/\s+/)
  const all = terms.map(termBounds)
  const known = all.filter((bounds) => bounds !== undefined)
  return known.length === all.length ? known.flat() : undefined
}

const release = (...numbers: [number, number, number]): Version => ({ numbers, before: [] })
const from = (version: Version): Bound => ({ sign: ">=", version })
const below = (...numbers: [number, number, number]): Bound => ({
  ...{ sign: "<", version: release(...numbers) },
})

function termBounds(term: string): readonly Bound[] | undefined {
  const match = /^(>=|<=|>|<|=|\^|~)?v?(.+)$/.exec(term)
  if (match === null) return undefined
  const [, sign = "", text = ""] = match
  const whole = parseVersion(text)
  if (whole !== undefined) return signed(sign, whole)
  const parts = /^(?:(\d{1,9})|[xX*])(?:\.(?:(\d{1,9})|[xX*]))?(?:\.[xX*])?$/.exec(text)
  if (parts === null) return undefined
  const [major, minor] = [parts[1], parts[2]].map((one) => (one ? Number(one) : undefined))
  if (major === undefined) return sign === "" ? [] : undefined
  const [low, high] =
    minor === undefined || sign === "^"
      ? [release(major, minor ?? 0, 0), nextOf(sign === "^" ? [major, minor ?? 0, 0] : [major])]
      : [release(major, minor, 0), nextOf([major, minor])]
  if (sign === ">=") return [from(low)]
  if (sign === "<") return [{ sign: "<", version: low }]
  if (sign === ">") return [from(high)]
  if (sign === "<=") return [{ sign: "<", version: high }]
  return [from(low), { sign: "<", version: high }]
}

/** The first version after all that begin so; with three numbers as the caret has it. */
function nextOf([major = 0, minor, patch]: readonly number[]): Version {
  if (minor === undefined || (patch !== undefined && major > 0)) return release(major + 1, 0, 0)
  return release(major, minor + 1, 0)
}

function signed(sign: string, version: Version): readonly Bound[] {
  const [major, minor, patch] = version.numbers
  if (sign === "^") {
    if (major > 0) return [from(version), below(major + 1, 0, 0)]
    return [from(version), minor > 0 ? below(0, minor + 1, 0) : below(0, 0, patch + 1)]
  }
  if (sign === "~") return [from(version), below(major, minor + 1, 0)]
  if (sign === ">=" || sign === ">" || sign === "<=" || sign === "<") return [{ sign, version }]
  return [from(version), { sign: "<=", version }]
}
