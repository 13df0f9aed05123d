// Kubernetes' own libraries: quantities, versions, addresses, URLs and named formats.

import {
  type CelCall,
  type CelFunction,
  type CelFunctions,
  dataArg,
  textArg,
} from "./cel-function.ts"
import { CelOpaque, isOpaque, makeOptional, type OpaqueKind } from "./cel-opaque.ts"
import { checkedInt } from "./cel-operators.ts"
import { CelStop } from "./cel-run.ts"
import { type CelKey, type CelValue, makeList } from "./cel-value.ts"
import { formatProblems, namedFormats } from "./named-formats.ts"
import {
  holdsIp,
  holdsRange,
  type IpAddress,
  type IpRange,
  ipText,
  masked,
  parseCidr,
  parseIp,
  within,
} from "./net-address.ts"
import {
  approximate,
  isWhole,
  ofWhole,
  parseQuantity,
  type Quantity,
  wholePart,
} from "./quantity.ts"
import { compareSemver, parseSemver, type Semver } from "./semver.ts"
import { parseUrl, type UrlParts } from "./url-parts.ts"

type Parse = (text: string, option: boolean) => CelOpaque | undefined

const quantityOf = (amount: Quantity) => new CelOpaque("quantity", String(amount.nanos), amount)
const ipOf = (address: IpAddress) => new CelOpaque("ip", ipText(address), address)
const cidrOf = (range: IpRange) =>
  new CelOpaque("cidr", `${ipText(range.address)}/${range.prefix}`, range)

const wrap =
  <T>(
    parse: (text: string, option: boolean) => T | undefined,
    make: (value: T) => CelOpaque,
  ): Parse =>
  (text, option) => {
    const value = parse(text, option)
    return value === undefined ? undefined : make(value)
  }

const readers: Readonly<Record<string, Parse>> = {
  quantity: wrap(parseQuantity, quantityOf),
  ip: wrap(parseIp, ipOf),
  cidr: wrap(parseCidr, cidrOf),
  url: wrap(parseUrl, (parts) => new CelOpaque("url", parts.text, parts)),
  semver: wrap(parseSemver, (version) => new CelOpaque("semver", version.text, version)),
}

const asks: Readonly<Record<string, string>> = {
  isQuantity: "quantity",
  isIP: "ip",
  isCIDR: "cidr",
  isURL: "url",
  isSemver: "semver",
}

function read(name: string, values: readonly CelValue[], call: CelCall): CelOpaque | undefined {
  const [value, option] = values
  return readers[name]?.(textArg(name, value, call), option === true)
}

function maker(name: string): CelFunction {
  return {
    arity: name === "semver" ? [1, 2] : 1,
    apply: (values, call) => {
      const made = read(name, values, call)
      if (made === undefined) throw new CelStop(`the text is no ${name}`, call.at)
      return made
    },
  }
}

function asker(name: string, of: string): CelFunction {
  return {
    arity: name === "isSemver" ? [1, 2] : 1,
    apply: (values, call) => read(of, values, call) !== undefined,
  }
}

/** A method of one kind of value. */
function method<T>(
  name: string,
  kind: OpaqueKind,
  apply: (data: T, call: CelCall) => CelValue,
): CelFunction {
  return { arity: 1, apply: ([value], call) => apply(dataArg<T>(name, kind, value, call), call) }
}

/** Quantities and versions are ordered alike. */
function ordered(name: string, result: (sign: number) => CelValue): CelFunction {
  return {
    arity: 2,
    apply: ([left, right], call) => {
      if (isOpaque(left, "semver")) {
        const other = dataArg<Semver>(name, "semver", right, call)
        return result(compareSemver(left.data as Semver, other))
      }
      const [a, b] = [left, right].map((side) => dataArg<Quantity>(name, "quantity", side, call))
      const difference = (a?.nanos ?? 0n) - (b?.nanos ?? 0n)
      return result(difference < 0n ? -1 : difference > 0n ? 1 : 0)
    },
  }
}

function sum(name: string, sign: 1n | -1n): CelFunction {
  return {
    arity: 2,
    apply: ([left, right], call) => {
      const { nanos } = dataArg<Quantity>(name, "quantity", left, call)
      const other =
        typeof right === "bigint"
          ? ofWhole(right)
          : dataArg<Quantity>(name, "quantity", right, call)
      return quantityOf({ nanos: nanos + sign * other.nanos })
    },
  }
}

function holder<T>(name: string, parse: (text: string) => T | undefined, kind: OpaqueKind) {
  return (holds: (range: IpRange, other: T) => boolean): CelFunction => ({
    arity: 2,
    apply: ([range, other], call) => {
      const outer = dataArg<IpRange>(name, "cidr", range, call)
      if (typeof other !== "string") return holds(outer, dataArg<T>(name, kind, other, call))
      const parsed = parse(textArg(name, other, call))
      if (parsed === undefined) throw new CelStop(`the text is no ${kind}`, call.at)
      return holds(outer, parsed)
    },
  })
}

const isCanonical: CelFunction = {
  arity: 1,
  apply: ([value], call) => {
    const text = textArg("ip.isCanonical", value, call)
    const address = parseIp(text)
    if (address === undefined) throw new CelStop("the text is no ip", call.at)
    return ipText(address) === text
  },
}

const ofIp = (name: string, holds: (address: IpAddress) => boolean) =>
  method<IpAddress>(name, "ip", holds)

const unicastExcluded = ["0.0.0.0/32", "255.255.255.255/32", "127.0.0.0/8", "169.254.0.0/16"]
const unicastExcluded6 = ["224.0.0.0/4", "::/128", "::1/128", "ff00::/8", "fe80::/10"]

const addressMethods: CelFunctions = {
  family: method<IpAddress>("family", "ip", ({ family }) => BigInt(family)),
  isUnspecified: ofIp("isUnspecified", ({ bits }) => bits === 0n),
  isLoopback: ofIp("isLoopback", (it) => within(it, "127.0.0.0/8", "::1/128")),
  isLinkLocalMulticast: ofIp("isLinkLocalMulticast", (it) =>
    within(it, "224.0.0.0/24", "ff02::/16"),
  ),
  isLinkLocalUnicast: ofIp("isLinkLocalUnicast", (it) => within(it, "169.254.0.0/16", "fe80::/10")),
  isGlobalUnicast: ofIp(
    "isGlobalUnicast",
    (it) => !within(it, ...unicastExcluded, ...unicastExcluded6),
  ),
  containsIP: holder("containsIP", parseIp, "ip")(holdsIp),
  containsCIDR: holder("containsCIDR", parseCidr, "cidr")(holdsRange),
  ip: method<IpRange>("ip", "cidr", ({ address }) => ipOf(address)),
  prefixLength: method<IpRange>("prefixLength", "cidr", ({ prefix }) => BigInt(prefix)),
  masked: method<IpRange>("masked", "cidr", (range) => cidrOf(masked(range))),
}

const urlMethods: CelFunctions = {
  getScheme: method<UrlParts>("getScheme", "url", ({ scheme }) => scheme),
  getHost: method<UrlParts>("getHost", "url", ({ host }) => host),
  getHostname: method<UrlParts>("getHostname", "url", ({ hostname }) => hostname),
  getPort: method<UrlParts>("getPort", "url", ({ port }) => port),
  getEscapedPath: method<UrlParts>("getEscapedPath", "url", ({ path }) => path),
  getQuery: method<UrlParts>("getQuery", "url", ({ query }, { run, at }) => {
    const map = new Map<CelKey, CelValue>()
    for (const [name, values] of query) {
      run.charge(values.length + 1, at)
      map.set(name, makeList(values))
    }
    return map
  }),
}

const validate: CelFunction = {
  arity: 2,
  apply: ([format, value], call) => {
    const name = dataArg<string>("validate", "format", format, call)
    const problems = formatProblems(name, textArg("validate", value, call))
    return makeOptional(problems.length === 0 ? undefined : makeList(problems))
  },
}

const formatOf = (name: string) => new CelOpaque("format", name, name)

const named: CelFunction = {
  arity: 1,
  apply: ([value], call) => {
    const name = textArg("format.named", value, call)
    return makeOptional(namedFormats.has(name) ? formatOf(name) : undefined)
  },
}

const formatFunctions: CelFunctions = Object.fromEntries(
  [...namedFormats.keys()].map((name) => [
    `format.${name}`,
    { arity: 0, apply: () => formatOf(name) } satisfies CelFunction,
  ]),
)

export const kubeFunctions: CelFunctions = {
  ...Object.fromEntries(Object.keys(readers).map((name) => [name, maker(name)])),
  ...Object.fromEntries(Object.entries(asks).map(([name, of]) => [name, asker(name, of)])),
  "ip.isCanonical": isCanonical,
  "format.named": named,
  ...formatFunctions,
}

export const kubeMethods: CelFunctions = {
  ...addressMethods,
  ...urlMethods,
  isGreaterThan: ordered("isGreaterThan", (sign) => sign > 0),
  isLessThan: ordered("isLessThan", (sign) => sign < 0),
  compareTo: ordered("compareTo", (sign) => BigInt(sign)),
  sign: method<Quantity>("sign", "quantity", ({ nanos }) =>
    nanos < 0n ? -1n : nanos > 0n ? 1n : 0n,
  ),
  add: sum("add", 1n),
  sub: sum("sub", -1n),
  isInteger: method<Quantity>("isInteger", "quantity", (amount) => isWhole(amount)),
  asInteger: method<Quantity>("asInteger", "quantity", (amount, { at }) => {
    if (!isWhole(amount)) throw new CelStop("cannot convert value to integer", at)
    return checkedInt(wholePart(amount), at)
  }),
  asApproximateFloat: method<Quantity>("asApproximateFloat", "quantity", approximate),
  major: method<Semver>("major", "semver", ({ parts }) => parts[0]),
  minor: method<Semver>("minor", "semver", ({ parts }) => parts[1]),
  patch: method<Semver>("patch", "semver", ({ parts }) => parts[2]),
  validate,
}
