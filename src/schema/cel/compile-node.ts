// A parsed expression becomes closures. Each step is charged; `&&`, `||`, `all` and `exists` are
// true or false whatever the other side stumbles over, as CEL has it. What this evaluator does not
// know is refused here, with its place, before anything runs.

import { type CelFunction, takes } from "./cel-function.ts"
import { functions, methods } from "./cel-functions.ts"
import { requestResourceOf } from "./cel-functions-authz.ts"
import type { CelNode } from "./cel-library.ts"
import {
  isOpaque,
  makeBytes,
  makeOptional,
  makeType,
  makeUint,
  opaqueNumber,
} from "./cel-opaque.ts"
import { binaryRules, checkedInt } from "./cel-operators.ts"
import { type CelRun, CelStop } from "./cel-run.ts"
import { namespaces } from "./cel-signatures.ts"
import { absorbed, type CelStep, truth } from "./cel-step.ts"
import {
  type CelKey,
  type CelValue,
  equal,
  isList,
  isMap,
  itemOf,
  makeList,
  mapKey,
  memberOf,
  typeOf,
} from "./cel-value.ts"
import { dottedName } from "./check-cel.ts"
import { compileMacro } from "./compile-macro.ts"

export function compileNode(node: CelNode): CelStep {
  const step = stepOf(node)
  const at = node.start
  return (scope, run) => {
    run.charge(1, at)
    return step(scope, run)
  }
}

function stepOf(node: CelNode): CelStep {
  switch (node.op) {
    case "value":
      return literal(node)
    case "id":
      return variable(node.args, node.start)
    case ".": {
      const dotted = dottedTypes.get(dottedName(node) ?? "")
      return dotted ?? select(compileNode(node.args[0]), node.args[1], node.start)
    }
    case "[]":
      return index(compileNode(node.args[0]), compileNode(node.args[1]), node.start)
    case "list": {
      const items = node.args.map(compileNode)
      return (scope, run) => makeList(items.map((item) => item(scope, run)))
    }
    case "map":
      return mapLiteral(node.args.map(([key, value]) => [compileNode(key), compileNode(value)]))
    case "?:": {
      const [test, yes, no] = node.args
      const [condition, then, otherwise] = [compileNode(test), compileNode(yes), compileNode(no)]
      return (scope, run) =>
        truth(condition(scope, run), test.start) ? then(scope, run) : otherwise(scope, run)
    }
    case "&&":
      return junction(node.args, false)
    case "||":
      return junction(node.args, true)
    case "!_": {
      const inner = compileNode(node.args)
      return (scope, run) => !truth(inner(scope, run), node.start)
    }
    case "-_":
      return negation(compileNode(node.args), node.start)
    case "call":
      return call(functions, node.args[0], [], node.args[1], node)
    case "rcall": {
      const [name, receiver, args] = node.args
      if (receiver.op === "id" && namespaces.get(receiver.args)?.has(name)) {
        return call(functions, `${receiver.args}.${name}`, [], args, node)
      }
      return compileMacro(node, compileNode) ?? call(methods, name, [receiver], args, node)
    }
    case ".?": {
      const [from, name] = node.args
      return optionalMember(compileNode(from), () => name, node.start)
    }
    case "[?]":
      return optionalMember(compileNode(node.args[0]), compileNode(node.args[1]), node.start)
    default:
      return binary(node.op, compileNode(node.args[0]), compileNode(node.args[1]), node.start)
  }
}

function literal(node: Extract<CelNode, { op: "value" }>): CelStep {
  const value = node.args
  if (value instanceof Uint8Array) {
    const bytes = makeBytes(value)
    return () => bytes
  }
  if (typeof value === "object" && value !== null) {
    const unsigned = makeUint(BigInt(String(value.valueOf())))
    return () => unsigned
  }
  const kept = typeof value === "bigint" ? checkedInt(value, node.start) : value
  return () => kept
}

const typeNames: ReadonlySet<string> = new Set(
  "int uint double bool string bytes list map null_type type".split(" "),
)
const dottedTypes: ReadonlyMap<string, CelStep> = new Map(
  ["google.protobuf.Timestamp", "google.protobuf.Duration"].map((name) => {
    const type = makeType(name)
    return [name, () => type]
  }),
)

function variable(name: string, at: number): CelStep {
  return (scope) => {
    for (let one = scope; one !== undefined; one = one.outer)
      if (one.name === name) return one.value
    if (typeNames.has(name)) return makeType(name)
    throw new CelStop(`there is no ${name}`, at)
  }
}

function select(from: CelStep, name: string, at: number): CelStep {
  return (scope, run) => {
    const value = from(scope, run)
    if (isOpaque(value, "optional")) return insideOptional(value.data as CelValue, name, at)
    if (name === "requestResource" && isOpaque(value, "authorizer")) return requestResourceOf(value)
    if (!isMap(value)) throw new CelStop(`a ${typeOf(value)} has no member ${name}`, at)
    const member = memberOf(value, name)
    if (member === undefined) throw new CelStop(`no such member: ${name}`, at)
    return member
  }
}

/** The member or item; undefined when there is none. */
function lookup(value: CelValue, key: CelValue, at: number): CelValue | undefined {
  if (isMap(value)) return memberOf(value, key)
  if (!isList(value)) throw new CelStop(`a ${typeOf(value)} has no members`, at)
  const given = isOpaque(key, "uint") ? opaqueNumber(key) : key
  const number = typeof given === "bigint" || typeof given === "number" ? Number(given) : Number.NaN
  const inside = Number.isInteger(number) && number >= 0 && number < value.length
  return inside ? itemOf(value, number) : undefined
}

/** A member of what an optional holds, as an optional again. */
function insideOptional(inner: CelValue | undefined, key: CelValue, at: number): CelValue {
  const member = inner === undefined ? undefined : lookup(inner, key, at)
  return isOpaque(member, "optional") ? member : makeOptional(member)
}

function optionalMember(from: CelStep, key: CelStep, at: number): CelStep {
  return (scope, run) => {
    const value = from(scope, run)
    const inner = isOpaque(value, "optional") ? (value.data as CelValue | undefined) : value
    return insideOptional(inner, key(scope, run), at)
  }
}

function index(from: CelStep, place: CelStep, at: number): CelStep {
  return (scope, run) => {
    const value = from(scope, run)
    const key = place(scope, run)
    if (isOpaque(value, "optional")) return insideOptional(value.data as CelValue, key, at)
    const member = lookup(value, key, at)
    if (member !== undefined) return member
    throw new CelStop(isList(value) ? "no such place in the list" : "no such key", at)
  }
}

function mapLiteral(entries: readonly (readonly [CelStep, CelStep])[]): CelStep {
  return (scope, run) => {
    const map = new Map<CelKey, CelValue>()
    for (const [key, value] of entries) map.set(mapKey(key(scope, run)), value(scope, run))
    return map
  }
}

function negation(inner: CelStep, at: number): CelStep {
  return (scope, run) => {
    const value = inner(scope, run)
    if (typeof value === "bigint") return checkedInt(-value, at)
    if (typeof value === "number") return -value
    throw new CelStop(`no such overload: -${typeOf(value)}`, at)
  }
}

/** `decides` is the value that settles it: true for `||`, false for `&&`. */
function junction(sides: readonly CelNode[], decides: boolean): CelStep {
  const steps = sides.map((side) => [compileNode(side), side.start] as const)
  return (scope, run) => {
    let failure: CelStop | undefined
    for (const [step, at] of steps) {
      try {
        if (truth(step(scope, run), at) === decides) return decides
      } catch (error) {
        failure ??= absorbed(error)
      }
    }
    if (failure !== undefined) throw failure
    return !decides
  }
}

function binary(op: string, left: CelStep, right: CelStep, at: number): CelStep {
  if (op === "==") return (scope, run) => equal(left(scope, run), right(scope, run), run, at)
  if (op === "!=") return (scope, run) => !equal(left(scope, run), right(scope, run), run, at)
  if (op === "in") return (scope, run) => contains(left(scope, run), right(scope, run), run, at)
  const rule = binaryRules[op]
  if (rule === undefined) throw new CelStop(`${op} is not supported`, at)
  return (scope, run) => rule(left(scope, run), right(scope, run), run, at)
}

function contains(value: CelValue, among: CelValue, run: CelRun, at: number): boolean {
  if (isMap(among)) return memberOf(among, value) !== undefined
  if (!isList(among)) throw new CelStop(`no such overload: in ${typeOf(among)}`, at)
  return among.some((_, place) => equal(value, itemOf(among, place), run, at))
}

function call(
  known: Readonly<Record<string, CelFunction>>,
  name: string,
  receiver: readonly CelNode[],
  given: readonly CelNode[],
  { start }: CelNode,
): CelStep {
  if (name === "has" && receiver.length === 0) return has(given[0], start)
  const found = Object.hasOwn(known, name) ? known[name] : undefined
  const args = [...receiver, ...given].map(compileNode)
  if (found === undefined) throw new CelStop(`the function ${name} is not supported`, start)
  if (!takes(found, args.length)) {
    throw new CelStop(`the function ${name} takes other arguments`, start)
  }
  return (scope, run) => {
    const values = args.map((arg) => arg(scope, run))
    return found.apply(values, { run, at: start })
  }
}

/** Whether the last member of a path is there; the path before it must be. */
function has(node: CelNode | undefined, at: number): CelStep {
  if (node?.op !== "." && node?.op !== ".?")
    throw new CelStop("has() takes a member, such as has(o.spec.mode)", at)
  const from = compileNode(node.args[0])
  const name = node.args[1]
  return (scope, run) => {
    const given = from(scope, run)
    const value = isOpaque(given, "optional") ? ((given.data as CelValue) ?? null) : given
    return isMap(value) && memberOf(value, name) !== undefined
  }
}
