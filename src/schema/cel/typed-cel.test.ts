import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { parseNode } from "../schema-node.ts"
import { plain, type Shape } from "./cel-shape.ts"
import { liftTyped } from "./cel-typed.ts"
import { compileErrorText, compileTyped } from "./compile-typed.ts"
import { escapeName, shapeOf } from "./schema-shape.ts"

const schema: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 20 },
    count: { type: "integer" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    numbers: { type: "array", items: { type: "integer" }, maxItems: 10 },
    labels: { type: "object", additionalProperties: { type: "string" } },
    at: { type: "string", format: "date-time" },
    every: { type: "string", format: "duration" },
    data: { type: "string", format: "byte" },
    port: { "x-kubernetes-int-or-string": true },
    "a-b.c/d": { type: "string" },
    namespace: { type: "string" },
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, port: { type: "integer" } },
      },
    },
  },
}

const self = {
  name: "röd-1",
  count: 3,
  ratio: 2,
  on: true,
  tags: ["b", "a"],
  numbers: [1, 2, 5],
  labels: { a: "1", b: "2" },
  at: "2024-02-29T12:30:15Z",
  every: "1h30m",
  data: "aGk=",
  port: "80%",
  "a-b.c/d": "x",
  namespace: "ns",
  open: { hidden: 1 },
  ports: [
    { name: "http", port: 80 },
    { name: "https", port: 443 },
  ],
}

const shape = shapeOf(parseNode(schema), false) as Shape

function run(source: string): unknown {
  const compiled = compileTyped(source, { variables: { self: shape, any: plain("dyn") } })
  if (compiled.kind === "problem") return `refused: ${compiled.problem.message}`
  const result = compiled.expression.evaluate(
    { self: liftTyped(self, shape), any: self },
    1_000_000,
  )
  return result.kind === "value" ? result.value : `error: ${result.message}`
}

describe("typed expressions hold for", () => {
  test.each([
    "self.count == 3 && self.ratio == 2.0 && self.on",
    "self.count < self.ratio * 2.0",
    "type(self.port) == string && self.port.endsWith('%')",
    "self.a__dash__b__dot__c__slash__d == 'x' && self.__namespace__ == 'ns'",
    "has(self.name) && !has(self.ratio) == false",
    "self.namespace == self.__namespace__",
    "self.tags == ['a', 'b']",
    "self.ports == self.ports.reverse() || self.ports.size() == 2",
    "self.numbers.sum() == 8 && self.numbers.min() == 1 && self.numbers.max() == 5",
    "self.numbers.isSorted() && self.numbers.indexOf(5) == 2 && self.numbers.lastIndexOf(9) == -1",
    "self.labels.all(k, k in ['a', 'b']) && self.labels['a'] == '1'",
    "self.labels.all(k, v, size(v) == 1 && k != v)",
    "self.numbers.exists(i, v, i == 2 && v == 5)",
    "self.labels.transformMap(k, v, v + k)['a'] == '1a'",
    "self.numbers.transformList(i, v, v > 1, i + v) == [3, 7]",
    "self.at.getFullYear() == 2024 && self.at.getDayOfYear() == 59",
    "self.at < timestamp('2024-03-01T00:00:00Z')",
    "self.at + duration('1h') > self.at && self.every == duration('90m')",
    "self.every.getMinutes() == 90",
    "self.data == b'hi' && string(self.data) == 'hi'",
    "self.name.charAt(1) == 'ö' && size(self.name) == 5",
    "'tacocat'.indexOf('co') == 2 && 'a,b,c'.split(',') == ['a', 'b', 'c']",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'hello'.substring(1, 3) == 'el'",
    "'abcabc'.replace('b', 'X', 1) == 'aXcabc' && ' x '.trim() == 'x'",
    "['a', 'b'].join('-') == 'a-b' && 'abc'.reverse() == 'cba'",
    "'AbC'.lowerAscii() == 'abc' && 'AbC'.upperAscii() == 'ABC'",
    "'%s has %d of %.2f'.format([self.name, self.count, 1.5]) == 'röd-1 has 3 of 1.50'",
    "strings.quote('a\"b') == '\"a\\\\\"b\"'",
    "'abc 123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]') == ['1', '2']",
    "quantity('1.5Gi').isGreaterThan(quantity('1500Mi'))",
    "quantity('100m').compareTo(quantity('0.1')) == 0",
    "quantity('1k').asInteger() == 1000 && !quantity('100m').isInteger()",
    "quantity('1').add(quantity('500m')).sub(1).asApproximateFloat() == 0.5 && isQuantity('1e3')",
    "ip('192.168.0.1').family() == 4 && isIP('::1') && !isIP('256.0.0.1')",
    "ip.isCanonical('::1') && !ip.isCanonical('0:0:0:0:0:0:0:1')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8",
    "url('https://example.com:8443/a/b?x=1&x=2').getHost() == 'example.com:8443'",
    "url('https://example.com/a?x=1&x=2').getQuery()['x'] == ['1', '2']",
    "isURL('/path')",
    "!isURL('../x')",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('v1.0', true).major() == 1",
    "isSemver('1.0.0-alpha.1')",
    "!isSemver('1.0')",
    "semver('1.0.0-a').compareTo(semver('1.0.0')) == -1",
    "!format.dns1123Label().validate('ok').hasValue()",
    "format.dns1123Label().validate('No').hasValue()",
    "format.named('uuid').hasValue() && !format.named('nope').hasValue()",
    "sets.contains([1, 2, 3], [2, 3])",
    "sets.intersects([1], [1, 2])",
    "sets.equivalent([1, 1], [1])",
    "optional.of(1).value() == 1 && optional.none().orValue(2) == 2",
    "self.?name.orValue('') == 'röd-1' && self.labels[?'zz'].orValue('no') == 'no'",
    "self.labels.?a.optMap(v, v + '!').orValue('') == '1!'",
    "cel.bind(n, self.count, n + n) == 6",
    "1 < 1.5 && 2u > 1 && dyn(1) == 1.0",
    "[1, 2] + [3] == [1, 2, 3] && self.tags + ['c'] == ['c', 'a', 'b']",
    "self.numbers.map(n, n > 1, n * 2) == [4, 10] && self.numbers.filter(n, n > 1).size() == 2",
    "self.numbers.exists_one(n, n == 5) && self.ports.existsOne(p, p.port == 80)",
    "[[1], [2, 3]].flatten() == [1, 2, 3]",
    "[3, 1, 2].sort() == [1, 2, 3]",
    "lists.range(3) == [0, 1, 2]",
    "[1, 1, 2].distinct() == [1, 2] && [1, 2, 3].slice(1, 3) == [2, 3]",
    "int('3') == 3 && double('1.5') == 1.5 && string(3) == '3' && bool('true') && uint(3) == 3u",
    "self.name.matches('^r.d') && 'x' in {'x': 1} && !('y' in {'x': 1})",
    "true || 1 / 0 == 1",
    "[true, false].exists(x, x || 1 / 0 == 1)",
  ])("%s", (source) => {
    expect(run(source)).toBe(true)
  })
})

describe("typed expressions are refused for", () => {
  test.each([
    ["self.nope == 1", "undefined field 'nope'"],
    ["self.open.hidden == 1", "undefined field 'hidden'"],
    ["other == 1", "undeclared reference to 'other' (in container '')"],
    ["self.count + 'x' == 1", "found no matching overload for '_+_' applied to '(int, string)'"],
    ["self.count == 'x'", "found no matching overload for '_==_' applied to '(int, string)'"],
    ["self.ratio == 1", "found no matching overload for '_==_' applied to '(double, int)'"],
    ["self.name.size() == '1'", "found no matching overload for '_==_' applied to '(int, string)'"],
    [
      "self.count.startsWith('x')",
      "found no matching overload for 'startsWith' applied to 'int.(string)'",
    ],
    ["self.name.x == 1", "type 'string' does not support field selection"],
    ["self.nosuch('x')", "undeclared reference to 'nosuch' (in container '')"],
    [
      "self.count.all(x, true)",
      "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["self.tags.all(t, t)", "expected type 'bool' but found 'string'"],
    ["self.tags.transformList(1, t, t) == []", "argument is not an identifier"],
  ])("%s", (source, message) => {
    expect(run(source)).toBe(`refused: ${message}`)
  })
})

test("typed expressions say where they went wrong when they run", () => {
  expect(run("self.labels['zz'] == ''")).toBe("error: no such key")
  expect(run("self.port + 1 == 2")).toBe("error: no such overload: string + int")
  expect(run("1 / (self.count - 3) == 1")).toBe("error: division by zero")
})

test("a problem is shown with its line and a mark below", () => {
  expect(compileErrorText({ message: "undefined field 'b'", at: 5 }, "self.b == 1")).toBe(
    "ERROR: <input>:1:6: undefined field 'b'\n | self.b == 1\n | .....^",
  )
})

test.each([
  ["plain", "plain"],
  ["a.b", "a__dot__b"],
  ["a-b", "a__dash__b"],
  ["a/b", "a__slash__b"],
  ["a__b", "a__underscores__b"],
  ["namespace", "__namespace__"],
  ["int", "int"],
  ["1a", undefined],
  ["ä", undefined],
])("the name %s is written %s", (name, escaped) => {
  expect(escapeName(name)).toBe(escaped)
})

test("nested loops over lists without bounds cost more than one with bounds", () => {
  const cost = (source: string) => {
    const compiled = compileTyped(source, { variables: { self: shape } })
    return compiled.kind === "expression" ? compiled.expression.maxCost : 0
  }
  expect(cost("self.numbers.all(a, self.numbers.all(b, a <= b || b <= a))")).toBeLessThan(10_000)
  expect(cost("self.tags.all(a, self.tags.all(b, a <= b))")).toBeGreaterThan(10_000_000)
})
