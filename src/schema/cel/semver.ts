// Semantic versions, strict by default; "v1.0" and "1" are read too when normalizing is asked for.

export interface Semver {
  readonly parts: readonly [bigint, bigint, bigint]
  readonly pre: readonly string[]
  readonly text: string
}

const number = "(0|[1-9]\\d{0,18})"
const strict = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`,
)

export function parseSemver(text: string, normalize: boolean): Semver | undefined {
  if (text.length > 256) return undefined
  const wanted = normalize ? normalized(text) : text
  const match = strict.exec(wanted)
  if (match === null) return undefined
  const [, major = "0", minor = "0", patch = "0", pre = "", build = ""] = match
  const names = pre === "" ? [] : pre.split(".")
  const good = (name: string) => name !== "" && !/^0\d+$/.test(name)
  if (!names.every(good) || (build !== "" && build.split(".").includes(""))) return undefined
  return { parts: [BigInt(major), BigInt(minor), BigInt(patch)], pre: names, text: wanted }
}

function normalized(text: string): string {
  const match = /^v?([\d.]*)(.*)$/.exec(text)
  const numbers = (match?.[1] ?? "").split(".").map((part) => part.replace(/^0+(?=\d)/, ""))
  while (numbers.length < 3) numbers.push("0")
  return `${numbers.join(".")}${match?.[2] ?? ""}`
}

export function compareSemver(left: Semver, right: Semver): number {
  for (const index of [0, 1, 2] as const) {
    if (left.parts[index] !== right.parts[index]) {
      return left.parts[index] < right.parts[index] ? -1 : 1
    }
  }
  if (left.pre.length === 0 || right.pre.length === 0) {
    return Math.sign(right.pre.length - left.pre.length)
  }
  for (let index = 0; index < Math.max(left.pre.length, right.pre.length); index++) {
    const sign = compareName(left.pre[index], right.pre[index])
    if (sign !== 0) return sign
  }
  return 0
}

function compareName(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return -1
  if (right === undefined) return 1
  const [first, second] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (first && second) return BigInt(left) < BigInt(right) ? -1 : 1
  if (first !== second) return first ? -1 : 1
  return left < right ? -1 : 1
}
