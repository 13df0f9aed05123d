// The document of an overlay.yaml, read into values that can be relied on, or every reason why it
// can't be used. Pure.

import { isArray, isObject, type Json } from "../../base/json.ts"
import type { Position, SourceIssue } from "../../contract/source.ts"
import { setpointGroup, setpointVersion } from "../../object/object.ts"
import type { PlacedValue } from "../manifests/build-value.ts"
import { overlayIssue } from "./faults.ts"
import { PatchProblem, readOperation } from "./patch-tree.ts"
import { type Node, type Path, placeTree } from "./placed-tree.ts"
import { isVariableName, type Variable, type Variables, variableTextMax } from "./variables.ts"

export interface PatchTarget {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly group?: string
}

export type PatchChange =
  | { readonly merge: Node }
  | { readonly json: readonly Node[] }
  | { readonly remove: true }

export interface OverlayPatch {
  readonly target: PatchTarget
  readonly change: PatchChange
  readonly position: Position
}

export interface Overlay {
  readonly position: Position
  readonly base?: { readonly text: string; readonly position: Position }
  /** Missing where the overlay has none: then `${name}` stays as it is written. */
  readonly variables?: Variables
  readonly patches: readonly OverlayPatch[]
}

export const patchesMax = 1000
export const variablesMax = 500

const members = new Set(["apiVersion", "kind", "metadata", "base", "variables", "patches"])
const targetMembers = ["kind", "name", "namespace", "group"] as const
const changeMembers = ["merge", "json", "remove"] as const

export type OverlayRead = Overlay | { readonly issues: readonly SourceIssue[] }

export function readOverlay(placed: PlacedValue): OverlayRead {
  const reader = new OverlayReader(placed)
  const overlay = reader.read()
  return reader.issues.length > 0 ? { issues: reader.issues } : overlay
}

class OverlayReader {
  readonly issues: SourceIssue[] = []
  readonly #placed: PlacedValue

  constructor(placed: PlacedValue) {
    this.#placed = placed
  }

  read(): Overlay {
    const value = isObject(this.#placed.value) ? this.#placed.value : {}
    const wanted = `${setpointGroup}/${setpointVersion}`
    if (value.apiVersion !== wanted) this.#issue(["apiVersion"], `must be ${wanted}`)
    for (const name of Object.keys(value)) {
      if (!members.has(name)) this.#issue([name], "is no part of an Overlay")
    }
    const { base, variables } = value
    if (base !== undefined && (typeof base !== "string" || base === "")) {
      this.#issue(["base"], "must be a path")
    }
    const place = this.#placed.locate(["base"])
    return {
      position: this.#placed.locate([]),
      ...(typeof base === "string" ? { base: { text: base, position: place } } : {}),
      ...(variables === undefined ? {} : { variables: this.#variables(variables) }),
      patches: this.#patches(value.patches),
    }
  }

  #issue(path: Path, problem: string): void {
    const member = path.length === 0 ? "it" : memberText(path)
    const place = this.#placed.locate(path)
    this.issues.push(overlayIssue("SPT-OVERLAY-001", { member, problem }, place))
  }

  #variables(value: Json): Variables {
    const found = new Map<string, Variable>()
    if (!isObject(value)) {
      this.#issue(["variables"], "must be a mapping of names to values")
      return found
    }
    const names = Object.keys(value)
    if (names.length > variablesMax) {
      this.#issue(["variables"], `has more than ${variablesMax} names`)
    }
    for (const name of names.slice(0, variablesMax)) {
      const given = value[name]
      const path = ["variables", name]
      if (!isVariableName(name)) this.#issue(path, "is no name: letters, digits, _ and - only")
      else if (given === null || given === undefined || typeof given === "object") {
        this.#issue(path, "must be text, a number, true or false")
      } else if (String(given).length > variableTextMax) {
        this.#issue(path, `is longer than ${variableTextMax} characters`)
      } else found.set(name, given)
    }
    return found
  }

  #patches(value: Json | undefined): OverlayPatch[] {
    if (value === undefined) return []
    if (!isArray(value) || value.length > patchesMax) {
      this.#issue(["patches"], `must be a list of at most ${patchesMax} patches`)
      return []
    }
    return value.flatMap((patch, index) => this.#patch(patch, ["patches", index]) ?? [])
  }

  #patch(value: Json, path: Path): OverlayPatch | undefined {
    if (!isObject(value)) return this.#issue(path, "must have a target and a change") ?? undefined
    const given = changeMembers.filter((name) => value[name] !== undefined)
    const [form] = given
    for (const name of Object.keys(value)) {
      if (name === "target" || given.some((one) => one === name)) continue
      this.#issue([...path, name], "is no part of a patch")
    }
    const target = this.#target(value.target, [...path, "target"])
    if (form === undefined || given.length > 1) {
      this.#issue(path, "must have one of merge, json and remove")
      return undefined
    }
    const change = this.#change(form, value[form] ?? null, [...path, form])
    if (target === undefined || change === undefined) return undefined
    return { target, change, position: this.#placed.locate(path) }
  }

  #target(value: Json | undefined, path: Path): PatchTarget | undefined {
    if (!isObject(value)) return this.#issue(path, "must name a kind and a name") ?? undefined
    for (const name of Object.keys(value)) {
      if (!targetMembers.some((one) => one === name)) {
        this.#issue([...path, name], "is no part of a target")
      }
    }
    const text = (name: (typeof targetMembers)[number]): string | undefined => {
      const member = value[name]
      if (typeof member === "string" && (member !== "" || name === "group")) return member
      const needed = name === "kind" || name === "name"
      if (needed || member !== undefined) this.#issue([...path, name], "must be text")
      return undefined
    }
    const [kind, name, namespace, group] = targetMembers.map(text)
    if (kind === undefined || name === undefined) return undefined
    return {
      ...{ kind, name },
      ...(namespace === undefined ? {} : { namespace }),
      ...(group === undefined ? {} : { group }),
    }
  }

  #change(form: (typeof changeMembers)[number], value: Json, path: Path): PatchChange | undefined {
    if (form === "remove") {
      if (value === true) return { remove: true }
      return this.#issue(path, "must be true") ?? undefined
    }
    const tree = placeTree(value, this.#placed, path)
    if (form === "merge") {
      if ("members" in tree) return { merge: tree }
      return this.#issue(path, "must be a mapping") ?? undefined
    }
    if (!("items" in tree)) return this.#issue(path, "must be a list of operations") ?? undefined
    for (const [index, operation] of tree.items.entries()) {
      try {
        readOperation(operation)
      } catch (error) {
        if (!(error instanceof PatchProblem)) throw error
        this.#issue([...path, index], `is wrong: ${error.message}`)
      }
    }
    return { json: tree.items }
  }
}

/** `patches[2].target.kind` */
function memberText(path: Path): string {
  const parts = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
  return parts.join("").replace(/^\./, "").slice(0, 200)
}
