// The parts of the language that bind a name: all, exists, exists_one, filter, map and cel.bind.
// They are charged for each item; an outermost `all` or `exists` remembers which items decided.

import type { CelNode } from "./cel-library.ts"
import { isOpaque, makeOptional } from "./cel-opaque.ts"
import { compareValues } from "./cel-operators.ts"
import { type CelRun, CelStop, witnessesMax } from "./cel-run.ts"
import { absorbed, type CelScope, type CelStep, truth } from "./cel-step.ts"
import {
  type CelKey,
  type CelValue,
  isList,
  isMap,
  itemOf,
  keysOf,
  makeList,
  mapKey,
  memberOf,
  typeOf,
} from "./cel-value.ts"
import { macroOf } from "./check-macro.ts"

type Compile = (node: CelNode) => CelStep
type Call = Extract<CelNode, { op: "rcall" }>

/** Undefined when it is a plain call. */
export function compileMacro(node: Call, compile: Compile): CelStep | undefined {
  const [name, receiver, args] = node.args
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel")
    return bind(args, node, compile)
  if (name === "optMap" || name === "optFlatMap") return optional(node, compile)
  const build = Object.hasOwn(macros, name) ? macros[name] : undefined
  if (build === undefined) return undefined
  const count = macroOf(name, args)?.names
  const names = args.slice(0, count ?? 0).map((arg) => (arg.op === "id" ? arg.args : ""))
  if (count === undefined || names.includes("")) {
    throw new CelStop(`${name} takes a name and an expression`, node.start)
  }
  const range = compile(receiver)
  const fold = build(args.slice(count).map(compile), node.start)
  const at = node.start
  const [first = "", second] = names
  return (scope, run) => {
    const given = range(scope, run)
    const items = iterate(given, run, at, second !== undefined)
    run.depth++
    const enter: Enter = (item) => {
      const outer: CelScope = { name: first, value: item.first, outer: scope }
      return second === undefined ? outer : { name: second, value: item.second ?? null, outer }
    }
    try {
      return fold(items, enter, run)
    } finally {
      run.depth--
    }
  }
}

/** The value inside, given a name; nothing when there is none. */
function optional(node: Call, compile: Compile): CelStep {
  const [name, receiver, [variable, body]] = node.args
  if (variable?.op !== "id" || body === undefined) {
    throw new CelStop(`${name} takes a name and an expression`, node.start)
  }
  const [from, inner] = [compile(receiver), compile(body)]
  return (scope, run) => {
    const given = from(scope, run)
    if (!isOpaque(given, "optional")) throw new CelStop(`${name} needs an optional`, node.start)
    if (given.data === undefined) return given
    const value = given.data as CelValue
    const made = inner({ name: variable.args, value, outer: scope }, run)
    return name === "optMap" ? makeOptional(made) : made
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

interface Item {
  readonly first: CelValue
  /** With two names: the item beside its place, the value beside its key. */
  readonly second?: CelValue
}

/** The items of a list, the keys of a map; with two names also where they are. */
function* iterate(range: CelValue, run: CelRun, at: number, both: boolean): Generator<Item> {
  if (isMap(range)) {
    const keys = keysOf(range)
    run.charge(keys.length, at)
    for (const key of keys) {
      yield both ? { first: key, second: memberOf(range, key) ?? null } : { first: key }
    }
    return
  }
  if (!isList(range)) throw new CelStop(`a ${typeOf(range)} has no items`, at)
  for (let place = 0; place < range.length; place++) {
    const item = itemOf(range, place)
    yield both ? { first: BigInt(place), second: item } : { first: item }
  }
}

type Enter = (item: Item) => CelScope
type Fold = (items: Iterable<Item>, enter: Enter, run: CelRun) => CelValue
type Build = (bodies: readonly CelStep[], at: number) => Fold

const existsOne: Build =
  ([predicate = nothing], at) =>
  (items, enter, run) => {
    let count = 0
    for (const item of items) if (truth(predicate(enter(item), run), at)) count++
    return count === 1
  }

/** What each item that passes becomes, with the item itself. */
function* mapped(
  [first = nothing, second]: readonly CelStep[],
  at: number,
  items: Iterable<Item>,
  enter: Enter,
  run: CelRun,
): Generator<readonly [Item, CelValue]> {
  for (const item of items) {
    const scope = enter(item)
    if (second === undefined) yield [item, first(scope, run)]
    else if (truth(first(scope, run), at)) yield [item, second(scope, run)]
  }
}

const mapping: Build = (bodies, at) => (items, enter, run) =>
  makeList([...mapped(bodies, at, items, enter, run)].map(([, value]) => value))

const macros: Readonly<Record<string, Build>> = {
  all: ([predicate = nothing], at) => quantifier(predicate, at, false),
  exists: ([predicate = nothing], at) => quantifier(predicate, at, true),
  exists_one: existsOne,
  existsOne,
  filter:
    ([predicate = nothing], at) =>
    (items, enter, run) => {
      const kept: CelValue[] = []
      for (const item of items) {
        if (truth(predicate(enter(item), run), at)) kept.push(item.first)
      }
      return makeList(kept)
    },
  map: mapping,
  transformList: mapping,
  transformMap: (bodies, at) => (items, enter, run) => {
    const map = new Map<CelKey, CelValue>()
    for (const [item, value] of mapped(bodies, at, items, enter, run)) {
      map.set(mapKey(item.first), value)
    }
    return map
  },
  transformMapEntry: (bodies, at) => (items, enter, run) => {
    const map = new Map<CelKey, CelValue>()
    for (const [, entry] of mapped(bodies, at, items, enter, run)) {
      if (!isMap(entry)) throw new CelStop("transformMapEntry needs a map", at)
      for (const key of keysOf(entry)) {
        if (map.has(key)) throw new CelStop(`insert failed: key ${String(key)} already exists`, at)
        map.set(key, memberOf(entry, key) ?? null)
      }
    }
    return map
  },
  sortBy:
    ([key = nothing], at) =>
    (items, enter, run) => {
      const keyed = [...items].map((item) => ({ item, key: key(enter(item), run) }))
      keyed.sort((left, right) => {
        const sign = compareValues(left.key, right.key, run, at)
        if (sign === undefined) throw new CelStop("sortBy needs keys with an order", at)
        return sign
      })
      return makeList(keyed.map(({ item }) => item.first))
    },
}

const nothing: CelStep = () => null

/** `decides` is the value of one item that settles it. */
function quantifier(predicate: CelStep, at: number, decides: boolean): Fold {
  return (items, enter, run) => {
    const outermost = run.depth === 1
    const witnesses = decides ? run.found : run.failing
    let failure: CelStop | undefined
    const rest = items[Symbol.iterator]()
    for (let next = rest.next(); !next.done; next = rest.next()) {
      try {
        if (truth(predicate(enter(next.value), run), at) !== decides) continue
      } catch (error) {
        failure ??= absorbed(error)
        continue
      }
      if (outermost) collect(next.value, rest, { predicate, enter, run, witnesses, decides })
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
function collect(first: Item, rest: Iterator<Item>, parts: Collecting): void {
  const { predicate, enter, run, witnesses, decides } = parts
  const shown = ({ first: place, second }: Item) => second ?? place
  witnesses.push(shown(first))
  try {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      if (witnesses.length >= witnessesMax) return
      if (predicate(enter(next.value), run) === decides) witnesses.push(shown(next.value))
    }
  } catch {
    // What was found so far is enough.
  }
}
