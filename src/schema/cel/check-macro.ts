// Types and costs of the expressions that bind a name. A loop costs what its body costs, times the
// most items its range can have.

import type { CelNode } from "./cel-library.ts"
import { CelStop } from "./cel-run.ts"
import { fits, listOf, mapOf, optionalOf, plain, type Shape, shapeText } from "./cel-shape.ts"
import { type Check, type Checked, type CheckScope, maxOf } from "./check-scope.ts"

type Call = Extract<CelNode, { op: "rcall" }>

interface Loop {
  readonly range: Checked
  readonly names: readonly string[]
  readonly bodies: readonly CelNode[]
  readonly scope: CheckScope | undefined
  readonly at: number
  readonly check: Check
}

type Rule = (loop: Loop) => Checked

/** Undefined when it is a plain call. */
export function checkMacro(
  node: Call,
  scope: CheckScope | undefined,
  check: Check,
): Checked | undefined {
  const [name, receiver, args] = node.args
  const at = node.start
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel") {
    return checkBind(args, at, scope, check)
  }
  if (name === "optMap" || name === "optFlatMap") return checkOptional(node, scope, check)
  const macro = macroOf(name, args)
  if (macro === undefined) return undefined
  const names = args.slice(0, macro.names).map((arg) => {
    if (arg.op === "id") return arg.args
    throw new CelStop("argument is not an identifier", arg.start)
  })
  const range = check(receiver, scope)
  return macro.rule({ range, names, bodies: args.slice(macro.names), scope, at, check })
}

/** How many names and expressions it takes; undefined when it is no macro in this form. */
export function macroOf(
  name: string,
  args: readonly CelNode[],
): { readonly names: number; readonly rule: Rule } | undefined {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) return undefined
  const forms = formsOf(name)
  const form = forms.find(({ names, bodies }) => names + bodies === args.length)
  return form === undefined ? undefined : { names: form.names, rule }
}

function formsOf(name: string): readonly { names: number; bodies: number }[] {
  if (name === "filter") return [{ names: 1, bodies: 1 }]
  if (name === "map") {
    return [
      { names: 1, bodies: 1 },
      { names: 1, bodies: 2 },
    ]
  }
  if (name.startsWith("transform")) {
    return [
      { names: 2, bodies: 1 },
      { names: 2, bodies: 2 },
    ]
  }
  if (name === "sortBy") return [{ names: 1, bodies: 1 }]
  return [
    { names: 1, bodies: 1 },
    { names: 2, bodies: 1 },
  ]
}

/** The names bound in the body: an item or key; with two names, place and item or key and value. */
function enter({ range, names, scope, at }: Loop): CheckScope | undefined {
  const { shape } = range
  const shapes = itemShapes(shape, names.length, at)
  return names.reduce<CheckScope | undefined>(
    (outer, name, index) => ({ name, shape: shapes[index] ?? plain("dyn"), outer }),
    scope,
  )
}

function itemShapes(shape: Shape, count: number, at: number): readonly Shape[] {
  switch (shape.kind) {
    case "dyn":
      return [shape, shape]
    case "list":
      return count === 1 ? [shape.item] : [plain("int"), shape.item]
    case "map":
      return [shape.key, shape.value]
    default: {
      const said = `expression of type '${shapeText(shape)}' cannot be range of a comprehension`
      throw new CelStop(`${said} (must be list, map, or dynamic)`, at)
    }
  }
}

function body(loop: Loop, index: number, wanted?: Shape): Checked {
  const node = loop.bodies[index]
  if (node === undefined) return { shape: plain("dyn"), cost: 0 }
  const checked = loop.check(node, enter(loop))
  if (wanted !== undefined && !fits(wanted, checked.shape, new Map())) {
    const [want, found] = [shapeText(wanted), shapeText(checked.shape)]
    throw new CelStop(`expected type '${want}' but found '${found}'`, node.start)
  }
  return checked
}

const times = (loop: Loop, perItem: number, once: number): number =>
  loop.range.cost + maxOf(loop.range.shape) * perItem + once

const bool = plain("bool")

const quantified =
  (perItem: number, once: number): Rule =>
  (loop) => ({ shape: bool, cost: times(loop, body(loop, 0, bool).cost + perItem, once) })

const all = quantified(3, 1)
const exists = quantified(4, 1)
const existsOne = quantified(2, 2)

const mapping: Rule = (loop) => {
  const filtered = loop.bodies.length === 2
  const test = filtered ? body(loop, 0, bool).cost : 0
  const made = body(loop, filtered ? 1 : 0)
  const cost = times(loop, test + made.cost + 12, 11)
  return { shape: listOf(made.shape, maxOf(loop.range.shape)), cost }
}

const transformMap: Rule = (loop) => {
  const made = mapping(loop)
  const value = made.shape.kind === "list" ? made.shape.item : plain("dyn")
  const { shape } = loop.range
  const key = shape.kind === "map" ? shape.key : plain("int")
  return { shape: mapOf(key, value, maxOf(shape)), cost: made.cost + 20 }
}

const rules: Readonly<Record<string, Rule>> = {
  all,
  exists,
  exists_one: existsOne,
  existsOne,
  filter: (loop) => {
    const cost = times(loop, body(loop, 0, bool).cost + 13, 11)
    const { shape } = loop.range
    const item = shape.kind === "map" ? shape.key : shape.kind === "list" ? shape.item : shape
    return { shape: listOf(item, maxOf(shape)), cost }
  },
  map: mapping,
  transformList: mapping,
  transformMap,
  transformMapEntry: (loop) => {
    const made = mapping(loop)
    const entry = made.shape.kind === "list" ? made.shape.item : plain("dyn")
    const shape = entry.kind === "map" ? mapOf(entry.key, entry.value) : plain("dyn")
    return { shape: { ...shape, max: maxOf(loop.range.shape) }, cost: made.cost + 20 }
  },
  sortBy: (loop) => {
    const size = maxOf(loop.range.shape)
    const cost = times(loop, body(loop, 0).cost + Math.ceil(Math.log2(size + 2)), 11)
    return { shape: loop.range.shape, cost }
  },
}

function checkBind(
  [variable, value, inner]: readonly CelNode[],
  at: number,
  scope: CheckScope | undefined,
  check: Check,
): Checked {
  if (variable?.op !== "id" || value === undefined || inner === undefined) {
    throw new CelStop("cel.bind() variable names must be simple identifiers", at)
  }
  const given = check(value, scope)
  const made = check(inner, { name: variable.args, shape: given.shape, outer: scope })
  return { shape: made.shape, cost: given.cost + made.cost + 10 }
}

function checkOptional(node: Call, scope: CheckScope | undefined, check: Check): Checked {
  const [name, receiver, [variable, inner]] = node.args
  if (variable?.op !== "id" || inner === undefined) {
    throw new CelStop(`${name}() variable name must be a simple identifier`, node.start)
  }
  const from = check(receiver, scope)
  const given = from.shape.kind === "optional" ? from.shape.of : from.shape
  const made = check(inner, { name: variable.args, shape: given, outer: scope })
  const shape = name === "optMap" ? optionalOf(made.shape) : made.shape
  return { shape, cost: from.cost + made.cost + 10 }
}
