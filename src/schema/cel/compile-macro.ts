// The parts of the language that bind a name: all, exists, exists_one, filter, map and cel.bind.
// They are charged for each item; an outermost `all` or `exists` remembers which items decided.

import type { CelNode } from "./cel-library.ts"
import { type CelRun, CelStop, witnessesMax } from "./cel-run.ts"
import { absorbed, type CelScope, type CelStep, truth } from "./cel-step.ts"
import { type CelValue, isList, isMap, itemOf, keysOf, makeList, typeOf } from "./cel-value.ts"

type Compile = (node: CelNode) => CelStep
type Call = Extract<CelNode, { op: "rcall" }>

/** Undefined when it is a plain call. */
export function compileMacro(node: Call, compile: Compile): CelStep | undefined {
  const [name, receiver, args] = node.args
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel")
    return bind(args, node, compile)
  const build = Object.hasOwn(macros, name) ? macros[name] : undefined
  if (build === undefined) return undefined
  const [variable, ...bodies] = args
  if (variable?.op !== "id" || bodies.length < 1 || bodies.length > (name === "map" ? 2 : 1)) {
    throw new CelStop(`${name} takes a name and an expression`, node.start)
  }
  const range = compile(receiver)
  const fold = build(bodies.map(compile), node.start)
  const at = node.start
  return (scope, run) => {
    const items = iterate(range(scope, run), run, at)
    run.depth++
    try {
      return fold(items, (value) => ({ name: variable.args, value, outer: scope }), run)
    } finally {
      run.depth--
    }
  }
}

function bind(
  [variable, value, body]: readonly CelNode[],
  { start }: Call,
  compile: Compile,
): CelStep {
  if (variable?.op !== "id" || value === undefined || body === undefined) {
    throw new CelStop("cel.bind takes a name, a value and an expression", start)
  }
  const [given, inner] = [compile(value), compile(body)]
  const name = variable.args
  return (scope, run) => inner({ name, value: given(scope, run), outer: scope }, run)
}

/** The items of a list, the keys of a map. */
function* iterate(range: CelValue, run: CelRun, at: number): Generator<CelValue> {
  if (isMap(range)) {
    const keys = keysOf(range)
    run.charge(keys.length, at)
    yield* keys
    return
  }
  if (!isList(range)) throw new CelStop(`a ${typeOf(range)} has no items`, at)
  for (let place = 0; place < range.length; place++) yield itemOf(range, place)
}

type Enter = (value: CelValue) => CelScope
type Fold = (items: Iterable<CelValue>, enter: Enter, run: CelRun) => CelValue
type Build = (bodies: readonly CelStep[], at: number) => Fold

const macros: Readonly<Record<string, Build>> = {
  all: ([predicate = nothing], at) => quantifier(predicate, at, false),
  exists: ([predicate = nothing], at) => quantifier(predicate, at, true),
  exists_one:
    ([predicate = nothing], at) =>
    (items, enter, run) => {
      let count = 0
      for (const item of items) if (truth(predicate(enter(item), run), at)) count++
      return count === 1
    },
  filter:
    ([predicate = nothing], at) =>
    (items, enter, run) => {
      const kept: CelValue[] = []
      for (const item of items) if (truth(predicate(enter(item), run), at)) kept.push(item)
      return makeList(kept)
    },
  map:
    ([first = nothing, second], at) =>
    (items, enter, run) => {
      const mapped: CelValue[] = []
      for (const item of items) {
        const scope = enter(item)
        if (second === undefined) mapped.push(first(scope, run))
        else if (truth(first(scope, run), at)) mapped.push(second(scope, run))
      }
      return makeList(mapped)
    },
}

const nothing: CelStep = () => null

/** `decides` is the value of one item that settles it. */
function quantifier(predicate: CelStep, at: number, decides: boolean): Fold {
  return (items, enter, run) => {
    const outermost = run.depth === 1
    const witnesses = decides ? run.found : run.failing
    let failure: CelStop | undefined
    for (const item of items) {
      try {
        if (truth(predicate(enter(item), run), at) !== decides) continue
      } catch (error) {
        failure ??= absorbed(error)
        continue
      }
      if (outermost) collect(item, items, { predicate, enter, run, witnesses, decides })
      return decides
    }
    if (failure !== undefined) throw failure
    return !decides
  }
}

interface Collecting {
  readonly predicate: CelStep
  readonly enter: Enter
  readonly run: CelRun
  readonly witnesses: unknown[]
  readonly decides: boolean
}

/** It is decided already: a few more of its kind are named, as far as the budget goes. */
function collect(first: CelValue, rest: Iterable<CelValue>, parts: Collecting): void {
  const { predicate, enter, run, witnesses, decides } = parts
  witnesses.push(first)
  try {
    for (const item of rest) {
      if (witnesses.length >= witnessesMax) return
      if (predicate(enter(item), run) === decides) witnesses.push(item)
    }
  } catch {
    // What was found so far is enough.
  }
}
