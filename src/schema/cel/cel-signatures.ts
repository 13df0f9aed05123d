// Which operators and functions there are and what types they take, as one table of text. What is
// not in it is refused before a rule is stored.

import { listOf, mapOf, optionalOf, type PlainKind, plain, type Shape } from "./cel-shape.ts"

export interface Signature {
  readonly name: string
  /** Called as x.f(y); the receiver is the first argument. */
  readonly method: boolean
  readonly takes: readonly Shape[]
  readonly gives: Shape
}

const table = `
_+_(int, int): int
_+_(uint, uint): uint
_+_(double, double): double
_+_(string, string): string
_+_(bytes, bytes): bytes
_+_(list<A>, list<A>): list<A>
_+_(timestamp, duration): timestamp
_+_(duration, timestamp): timestamp
_+_(duration, duration): duration
_-_(int, int): int
_-_(uint, uint): uint
_-_(double, double): double
_-_(timestamp, timestamp): duration
_-_(timestamp, duration): timestamp
_-_(duration, duration): duration
_*_(int, int): int
_*_(uint, uint): uint
_*_(double, double): double
_/_(int, int): int
_/_(uint, uint): uint
_/_(double, double): double
_%_(int, int): int
_%_(uint, uint): uint
-_(int): int
-_(double): double
!_(bool): bool
_&&_(bool, bool): bool
_||_(bool, bool): bool
_==_(A, A): bool
_!=_(A, A): bool
_[_](list<A>, int): A
_[_](map<A, B>, A): B
@in(A, list<A>): bool
@in(A, map<A, B>): bool
size(string): int
size(bytes): int
size(list<A>): int
size(map<A, B>): int
string.size(): int
bytes.size(): int
list<A>.size(): int
map<A, B>.size(): int
dyn(A): dyn
type(A): type
bool(bool): bool
bool(string): bool
int(int): int
int(uint): int
int(double): int
int(string): int
int(timestamp): int
int(duration): int
uint(uint): uint
uint(int): uint
uint(double): uint
uint(string): uint
double(double): double
double(int): double
double(uint): double
double(string): double
string(string): string
string(bool): string
string(int): string
string(uint): string
string(double): string
string(bytes): string
string(timestamp): string
string(duration): string
string(ip): string
string(cidr): string
bytes(bytes): bytes
bytes(string): bytes
timestamp(timestamp): timestamp
timestamp(string): timestamp
timestamp(int): timestamp
duration(duration): duration
duration(string): duration
duration(int): duration
string.startsWith(string): bool
string.endsWith(string): bool
string.contains(string): bool
string.matches(string): bool
matches(string, string): bool
string.charAt(int): string
string.indexOf(string): int
string.indexOf(string, int): int
string.lastIndexOf(string): int
string.lastIndexOf(string, int): int
list<string>.join(): string
list<string>.join(string): string
string.lowerAscii(): string
string.upperAscii(): string
string.replace(string, string): string
string.replace(string, string, int): string
string.split(string): list<string>
string.split(string, int): list<string>
string.substring(int): string
string.substring(int, int): string
string.trim(): string
string.reverse(): string
string.format(list<dyn>): string
strings.quote(string): string
string.find(string): string
string.findAll(string): list<string>
string.findAll(string, int): list<string>
list<A>.isSorted(): bool
list<A>.sum(): A
list<A>.min(): A
list<A>.max(): A
list<A>.indexOf(A): int
list<A>.lastIndexOf(A): int
dyn.includes(dyn): bool
list<A>.distinct(): list<A>
list<A>.reverse(): list<A>
list<A>.sort(): list<A>
list<A>.slice(int, int): list<A>
list<A>.first(): optional<A>
list<A>.last(): optional<A>
list<dyn>.flatten(): list<dyn>
list<dyn>.flatten(int): list<dyn>
lists.range(int): list<int>
sets.contains(list<A>, list<A>): bool
sets.equivalent(list<A>, list<A>): bool
sets.intersects(list<A>, list<A>): bool
optional.of(A): optional<A>
optional.ofNonZeroValue(A): optional<A>
optional.none(): optional<A>
optional<A>.hasValue(): bool
optional<A>.value(): A
optional<A>.or(optional<A>): optional<A>
optional<A>.orValue(A): A
timestamp.getFullYear(): int
timestamp.getFullYear(string): int
timestamp.getMonth(): int
timestamp.getMonth(string): int
timestamp.getDate(): int
timestamp.getDate(string): int
timestamp.getDayOfMonth(): int
timestamp.getDayOfMonth(string): int
timestamp.getDayOfWeek(): int
timestamp.getDayOfWeek(string): int
timestamp.getDayOfYear(): int
timestamp.getDayOfYear(string): int
timestamp.getHours(): int
timestamp.getHours(string): int
timestamp.getMinutes(): int
timestamp.getMinutes(string): int
timestamp.getSeconds(): int
timestamp.getSeconds(string): int
timestamp.getMilliseconds(): int
timestamp.getMilliseconds(string): int
duration.getHours(): int
duration.getMinutes(): int
duration.getSeconds(): int
duration.getMilliseconds(): int
quantity(string): quantity
isQuantity(string): bool
quantity.sign(): int
quantity.isGreaterThan(quantity): bool
quantity.isLessThan(quantity): bool
quantity.compareTo(quantity): int
quantity.asApproximateFloat(): double
quantity.asInteger(): int
quantity.isInteger(): bool
quantity.add(quantity): quantity
quantity.add(int): quantity
quantity.sub(quantity): quantity
quantity.sub(int): quantity
semver(string): semver
semver(string, bool): semver
isSemver(string): bool
isSemver(string, bool): bool
semver.isGreaterThan(semver): bool
semver.isLessThan(semver): bool
semver.compareTo(semver): int
semver.major(): int
semver.minor(): int
semver.patch(): int
ip(string): ip
isIP(string): bool
ip.isCanonical(string): bool
ip.family(): int
ip.isUnspecified(): bool
ip.isLoopback(): bool
ip.isLinkLocalMulticast(): bool
ip.isLinkLocalUnicast(): bool
ip.isGlobalUnicast(): bool
cidr(string): cidr
isCIDR(string): bool
cidr.containsIP(string): bool
cidr.containsIP(ip): bool
cidr.containsCIDR(string): bool
cidr.containsCIDR(cidr): bool
cidr.ip(): ip
cidr.prefixLength(): int
cidr.masked(): cidr
url(string): url
isURL(string): bool
url.getScheme(): string
url.getHost(): string
url.getHostname(): string
url.getPort(): string
url.getEscapedPath(): string
url.getQuery(): map<string, list<string>>
format.named(string): optional<format>
format.validate(string): optional<list<string>>
authorizer.path(string): pathcheck
authorizer.group(string): groupcheck
authorizer.serviceAccount(string, string): authorizer
groupcheck.resource(string): resourcecheck
resourcecheck.subresource(string): resourcecheck
resourcecheck.namespace(string): resourcecheck
resourcecheck.name(string): resourcecheck
resourcecheck.check(string): decision
pathcheck.check(string): decision
decision.allowed(): bool
decision.reason(): string
decision.errored(): bool
decision.error(): string
`

const ordered = ["bool", "string", "bytes", "timestamp", "duration"]
const numbers = ["int", "uint", "double"]

/** Numbers of different kinds compare by value; everything else only with its own kind. */
const orderings = ["_<_", "_<=_", "_>_", "_>=_"].flatMap((name) => [
  ...ordered.map((kind) => `${name}(${kind}, ${kind}): bool`),
  ...numbers.flatMap((left) => numbers.map((right) => `${name}(${left}, ${right}): bool`)),
])

/** Names before a dot that are no values: sets.contains, optional.of ... */
export const namespaces: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["sets", new Set(["contains", "equivalent", "intersects"])],
  ["optional", new Set(["of", "ofNonZeroValue", "none"])],
  ["strings", new Set(["quote"])],
  ["lists", new Set(["range"])],
  [
    "format",
    new Set([
      ..."named dns1123Label dns1123Subdomain dns1035Label qualifiedName".split(" "),
      ..."dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix".split(" "),
      ..."labelValue uri uuid byte date datetime".split(" "),
    ]),
  ],
  ["ip", new Set(["isCanonical"])],
])

let parsed: ReadonlyMap<string, readonly Signature[]> | undefined

/** Methods under ".name", functions and operators under their name. */
export function signatures(): ReadonlyMap<string, readonly Signature[]> {
  if (parsed !== undefined) return parsed
  const found = new Map<string, Signature[]>()
  const formats = [...(namespaces.get("format") ?? [])].filter((name) => name !== "named")
  const lines = [...table.trim().split("\n"), ...orderings]
  for (const name of formats) lines.push(`format.${name}(): format`)
  for (const line of lines) {
    const signature = parseSignature(line)
    const key = signature.method ? `.${signature.name}` : signature.name
    found.set(key, [...(found.get(key) ?? []), signature])
  }
  parsed = found
  return found
}

function parseSignature(line: string): Signature {
  const match = /^(?:([a-z]+(?:<.*?>)?)\.)?([^.(]+)\((.*)\): (.+)$/.exec(line)
  if (match === null) throw new Error(`no signature: ${line}`)
  const [, before, name = "", args = "", result = ""] = match
  const given = splitArguments(args).map(parseShape)
  const gives = parseShape(result)
  if (before === undefined) return { name, method: false, takes: given, gives }
  if (namespaces.get(before)?.has(name)) {
    return { name: `${before}.${name}`, method: false, takes: given, gives }
  }
  return { name, method: true, takes: [parseShape(before), ...given], gives }
}

function splitArguments(text: string): string[] {
  return text === "" ? [] : text.split(/,(?![^<]*>)/).map((part) => part.trim())
}

function parseShape(text: string): Shape {
  const generic = /^(list|map|optional)<(.*)>$/.exec(text)
  if (generic !== null) {
    const [first = "dyn", second = "dyn"] = splitArguments(generic[2] ?? "")
    if (generic[1] === "list") return listOf(parseShape(first))
    if (generic[1] === "optional") return optionalOf(parseShape(first))
    return mapOf(parseShape(first), parseShape(second))
  }
  return /^[A-Z]$/.test(text) ? { kind: "param", name: text } : plain(text as PlainKind)
}
