// Checks a parsed expression against the types of its variables, and estimates at the same time
// what it can cost at most: both follow from the same shapes. Never runs anything.

import type { CelNode } from "./cel-library.ts"
import { CelStop } from "./cel-run.ts"
import {
  type Bindings,
  bound,
  fieldOf,
  fits,
  listOf,
  mapOf,
  optionalOf,
  plain,
  type Shape,
  shapeText,
  withMax,
} from "./cel-shape.ts"
import { namespaces, signatures } from "./cel-signatures.ts"
import { checkMacro } from "./check-macro.ts"
import { type Checked, type CheckScope, maxOf } from "./check-scope.ts"
import { estimateCall } from "./estimate-call.ts"

const typeNames: ReadonlySet<string> = new Set(
  "int uint double bool string bytes list map null_type type timestamp duration".split(" "),
)

/** Throws CelStop with the place of what does not fit. */
export function checkCel(node: CelNode, scope: CheckScope | undefined): Checked {
  switch (node.op) {
    case "value":
      return { shape: literalShape(node.args), cost: 0 }
    case "id":
      return { shape: identShape(node.args, scope, node.start), cost: 1 }
    case ".":
      return checkSelect(node, scope)
    case ".?": {
      const of = checkCel(node.args[0], scope)
      const member = memberShape(unwrapped(of.shape), node.args[1], node.start)
      return { shape: optionalOf(unwrapped(member)), cost: of.cost + 1 }
    }
    case "[?]":
      return checkOptionalIndex(node.args[0], node.args[1], node.start, scope)
    case "[]":
      return checkIndex(node.args[0], node.args[1], node.start, scope)
    case "list":
      return checkList(node.args, scope)
    case "map":
      return checkMap(node.args, scope)
    case "?:":
      return checkTernary(node.args, node.start, scope)
    case "&&":
    case "||":
      return checkJunction(node.op, node.args, node.start, scope)
    case "!_":
    case "-_":
      return checkCall(node.op, [node.args], node.start, scope)
    case "call": {
      const [name, args] = node.args
      if (name === "has") return checkHas(args[0], node.start, scope)
      return checkCall(name, args, node.start, scope)
    }
    case "rcall": {
      const [name, receiver, args] = node.args
      const spaced = namespaced(receiver, name, scope)
      if (spaced !== undefined) return checkCall(spaced, args, node.start, scope)
      const macro = checkMacro(node, scope, checkCel)
      return macro ?? checkCall(`.${name}`, [receiver, ...args], node.start, scope)
    }
    default: {
      const name = node.op === "in" ? "@in" : `_${node.op}_`
      return checkCall(name, [node.args[0], node.args[1]], node.start, scope)
    }
  }
}

/** "sets.contains" when the name before the dot is no variable. */
export function namespaced(
  receiver: CelNode,
  name: string,
  scope: CheckScope | undefined,
): string | undefined {
  if (receiver.op !== "id" || !namespaces.get(receiver.args)?.has(name)) return undefined
  return lookup(receiver.args, scope) === undefined ? `${receiver.args}.${name}` : undefined
}

function lookup(name: string, scope: CheckScope | undefined): Shape | undefined {
  for (let one = scope; one !== undefined; one = one.outer) if (one.name === name) return one.shape
  return undefined
}

function identShape(name: string, scope: CheckScope | undefined, at: number): Shape {
  const found = lookup(name, scope)
  if (found !== undefined) return found
  if (typeNames.has(name)) return plain("type")
  throw new CelStop(`undeclared reference to '${name}' (in container '')`, at)
}

function literalShape(value: unknown): Shape {
  if (typeof value === "string") return withMax(plain("string"), value.length)
  if (typeof value === "bigint") return plain("int")
  if (typeof value === "number") return plain("double")
  if (typeof value === "boolean") return plain("bool")
  if (value === null) return plain("null")
  return value instanceof Uint8Array ? withMax(plain("bytes"), value.length) : plain("uint")
}

const unwrapped = (shape: Shape): Shape => (shape.kind === "optional" ? shape.of : shape)

/** What a member of the value is. */
export function memberShape(shape: Shape, name: string, at: number): Shape {
  switch (shape.kind) {
    case "dyn":
      return shape
    case "map":
      return shape.value
    case "optional":
      return optionalOf(unwrapped(memberShape(shape.of, name, at)))
    case "object": {
      const field = fieldOf(shape, name)
      if (field === undefined) throw new CelStop(`undefined field '${name}'`, at)
      return field.shape
    }
    default:
      if (shape.kind === "authorizer" && name === "requestResource") return plain("resourcecheck")
      throw new CelStop(`type '${shapeText(shape)}' does not support field selection`, at)
  }
}

/** Types may be written with dots: google.protobuf.Timestamp. */
const dottedTypes: ReadonlySet<string> = new Set([
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
])

export function dottedName(node: CelNode): string | undefined {
  if (node.op === "id") return node.args
  if (node.op !== ".") return undefined
  const before = dottedName(node.args[0])
  return before === undefined ? undefined : `${before}.${node.args[1]}`
}

function checkSelect(node: Extract<CelNode, { op: "." }>, scope: CheckScope | undefined): Checked {
  const dotted = dottedName(node)
  if (dotted !== undefined && dottedTypes.has(dotted)) return { shape: plain("type"), cost: 1 }
  const of = checkCel(node.args[0], scope)
  const shape = memberShape(of.shape, node.args[1], node.start)
  const counts = of.shape.kind === "map" || of.shape.kind === "object"
  return { shape, cost: of.cost + (counts ? 1 : 0) }
}

function checkHas(node: CelNode | undefined, at: number, scope: CheckScope | undefined): Checked {
  if (node?.op !== "." && node?.op !== ".?")
    throw new CelStop("invalid argument to has() macro", at)
  const of = checkCel(node.args[0], scope)
  memberShape(of.shape, node.args[1], node.start)
  return { shape: plain("bool"), cost: of.cost }
}

function checkIndex(
  from: CelNode,
  place: CelNode,
  at: number,
  scope: CheckScope | undefined,
): Checked {
  const of = checkCel(from, scope)
  if (of.shape.kind !== "optional") return checkCall("_[_]", [from, place], at, scope)
  const checked = checkOptionalIndex(from, place, at, scope)
  return checked
}

function checkOptionalIndex(
  from: CelNode,
  place: CelNode,
  at: number,
  scope: CheckScope | undefined,
): Checked {
  const [of, key] = [checkCel(from, scope), checkCel(place, scope)]
  const inner = unwrapped(of.shape)
  const cost = of.cost + key.cost + 1
  if (inner.kind === "list") return { shape: optionalOf(inner.item), cost }
  if (inner.kind === "map") return { shape: optionalOf(inner.value), cost }
  if (inner.kind === "dyn") return { shape: optionalOf(inner), cost }
  throw noOverload("_[?_]", [of.shape, key.shape], at)
}

function checkList(items: readonly CelNode[], scope: CheckScope | undefined): Checked {
  const checked = items.map((item) => checkCel(item, scope))
  const cost = checked.reduce((sum, item) => sum + item.cost, 10)
  return { shape: listOf(joined(checked), items.length), cost }
}

/** Parts of different types together may be anything. */
function joined(checked: readonly Checked[]): Shape {
  const bindings: Bindings = new Map()
  let max = 0
  let same = true
  for (const { shape } of checked) {
    max = Math.max(max, maxOf(shape))
    same &&= fits({ kind: "param", name: "A" }, shape, bindings)
  }
  return withMax(same ? (bindings.get("A") ?? plain("dyn")) : plain("dyn"), max)
}

function checkMap(
  entries: readonly (readonly [CelNode, CelNode])[],
  scope: CheckScope | undefined,
): Checked {
  const keys = entries.map(([key]) => checkCel(key, scope))
  const values = entries.map(([, value]) => checkCel(value, scope))
  const cost = [...keys, ...values].reduce((sum, one) => sum + one.cost, 30)
  return { shape: mapOf(joined(keys), joined(values), entries.length), cost }
}

function checkTernary(
  [test, yes, no]: readonly [CelNode, CelNode, CelNode],
  at: number,
  scope: CheckScope | undefined,
): Checked {
  const [condition, then, otherwise] = [test, yes, no].map((node) => checkCel(node, scope))
  if (condition === undefined || then === undefined || otherwise === undefined) {
    throw new CelStop("a condition needs two sides", at)
  }
  const bindings: Bindings = new Map()
  const matches =
    fits(plain("bool"), condition.shape, bindings) &&
    fits({ kind: "param", name: "A" }, then.shape, bindings) &&
    fits({ kind: "param", name: "A" }, otherwise.shape, bindings)
  if (!matches) {
    throw noOverload("_?_:_", [condition.shape, then.shape, otherwise.shape], at)
  }
  const max = Math.max(maxOf(then.shape), maxOf(otherwise.shape))
  const shape = withMax(bindings.get("A") ?? plain("dyn"), max)
  return { shape, cost: condition.cost + Math.max(then.cost, otherwise.cost) }
}

function checkJunction(
  op: string,
  sides: readonly CelNode[],
  at: number,
  scope: CheckScope | undefined,
): Checked {
  const checked = sides.map((side) => checkCel(side, scope))
  for (const { shape } of checked) {
    if (fits(plain("bool"), shape, new Map())) continue
    throw noOverload(
      `_${op}_`,
      checked.map((one) => one.shape),
      at,
    )
  }
  return { shape: plain("bool"), cost: checked.reduce((sum, { cost }) => sum + cost, 0) }
}

function noOverload(name: string, shapes: readonly Shape[], at: number): CelStop {
  const method = name.startsWith(".")
  const [receiver, ...rest] = shapes.map(shapeText)
  const shown = method
    ? `${receiver}.(${rest.join(", ")})`
    : `(${shapes.map(shapeText).join(", ")})`
  const plainName = method ? name.slice(1) : name
  return new CelStop(`found no matching overload for '${plainName}' applied to '${shown}'`, at)
}

function checkCall(
  name: string,
  args: readonly CelNode[],
  at: number,
  scope: CheckScope | undefined,
): Checked {
  const checked = args.map((arg) => checkCel(arg, scope))
  const shapes = checked.map(({ shape }) => shape)
  const known = signatures().get(name)
  if (known === undefined) {
    const shown = name.startsWith(".") ? name.slice(1) : name
    throw new CelStop(`undeclared reference to '${shown}' (in container '')`, at)
  }
  const results: Shape[] = []
  for (const signature of known) {
    const bindings: Bindings = new Map()
    if (signature.takes.length !== shapes.length) continue
    const matches = signature.takes.every((wanted, index) =>
      fits(wanted, shapes[index] ?? plain("dyn"), bindings),
    )
    if (matches) results.push(bound(signature.gives, bindings))
  }
  const [first, ...others] = results
  if (first === undefined) throw noOverload(name, shapes, at)
  const same = others.every((other) => shapeText(other) === shapeText(first))
  const before = checked.reduce((sum, { cost }) => sum + cost, 0)
  const { cost, max } = estimateCall(name, shapes)
  return { shape: withMax(same ? first : plain("dyn"), max), cost: before + cost }
}
