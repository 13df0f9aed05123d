// A structural schema (openAPIV3Schema of apiextensions.k8s.io/v1) made ready for use: validate,
// prune and default as closures, and the parsed node for diff and merge. A schema that is not
// structural never compiles.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { compileDefaulter } from "./compile-default.ts"
import { compilePruner, type PruneWalk } from "./compile-prune.ts"
import { compileRules, objectCostMax } from "./compile-rules.ts"
import { compileValidator } from "./compile-validate.ts"
import { schemaFault } from "./faults.ts"
import { type Issue, type IssuePath, issueText } from "./issue.ts"
import { joinObjectMeta } from "./object-meta.ts"
import { ruleIssues } from "./rule-issues.ts"
import { parseNode, type SchemaNode, untypedNode, walkNodes } from "./schema-node.ts"
import { structuralIssues } from "./structural-rules.ts"
import { ValidationWalk } from "./validation-walk.ts"

export interface CompiledSchema {
  /** The parsed schema; `nodeAt(node, "spec")` is where diff begins. */
  readonly node: SchemaNode
  /**
   * Everything that is wrong with a value (after defaulting); empty when it is valid. With an old
   * value, what was wrong before and has not changed is forgiven, and rules can compare.
   */
  validate(value: Json, old?: Json): readonly Issue[]
  /** Without unknown members, and their places. The same reference when nothing was pruned. */
  prune(value: JsonObject): { value: JsonObject; unknown: readonly IssuePath[] }
  readonly hasDefaults: boolean
  /** Whether anything but metadata could have unknown members. */
  readonly canPrune: boolean
  /** With defaults. The same reference when nothing changed. */
  applyDefaults(value: JsonObject): JsonObject
}

/** What the schema describes: a whole object with metadata, or a plain value such as a spec. */
export type SchemaScope = "object" | "value"

const nothing: readonly never[] = []

/** Throws SPT-SCHEMA-001, naming every place where the schema is not structural. */
export function compileSchema(
  openApiV3Schema: JsonObject,
  scope: SchemaScope = "object",
): CompiledSchema {
  const { parsed, issues } = judge(openApiV3Schema, scope)
  const whole = scope === "object"
  if (parsed !== undefined) return compileNode(joinObjectMeta(parsed, whole), whole)
  const shown = issues.slice(0, 10).map(issueText)
  const more = issues.length > 10 ? `; and ${issues.length - 10} more` : ""
  throw schemaFault("SPT-SCHEMA-001", { issues: shown.join("; ") + more, count: issues.length })
}

/** What keeps a schema from compiling; paths are places in the schema itself. */
export function schemaIssues(
  openApiV3Schema: JsonObject,
  scope: SchemaScope = "object",
): readonly Issue[] {
  return judge(openApiV3Schema, scope).issues
}

/** The parsed schema, or what is wrong with it. */
function judge(
  schema: JsonObject,
  scope: SchemaScope,
): { readonly parsed?: SchemaNode; readonly issues: readonly Issue[] } {
  const whole = scope === "object"
  const issues = structuralIssues(schema, whole)
  if (issues.length > 0) return { issues }
  const parsed = parseNode(schema)
  const rules = ruleIssues(parsed, whole)
  if (rules.length > 0) return { issues: rules }
  const wrong = defaultIssues(parsed)
  return wrong.length > 0 ? { issues: wrong } : { parsed, issues: nothing }
}

/** Most kinds of a plane have no objects: each part is compiled when it is first needed. */
function compileNode(node: SchemaNode, whole: boolean): CompiledSchema {
  const validator = once(() => compileValidator(node))
  const rules = once(() => compileRules(node, whole))
  const pruner = once(() => compilePruner(node))
  const defaulter = once(() => compileDefaulter(node))
  const canPrune = once(() => compilePruner(withFreeMetadata(node)) !== undefined)
  const hasDefaults = once(() => [...walkNodes(node)].some((one) => one.node.default !== undefined))
  return {
    node,
    validate(value, old) {
      const walk = new ValidationWalk()
      validator()(value, walk)
      // Looking for the old value of every part costs more than judging: only where it matters.
      if (walk.issues.length > 0 && old !== undefined) {
        walk.issues.length = 0
        validator()(value, walk, old)
      }
      const ruled = rules()
      if (ruled === undefined) return walk.issues
      if (walk.issues.some(({ code, detail }) => blocking.has(detail?.code ?? code))) {
        return [...walk.issues, unchecked]
      }
      ruled(value, old, walk, { left: objectCostMax })
      return walk.issues
    },
    prune(value) {
      const prune = pruner()
      if (prune === undefined) return { value, unknown: nothing }
      const walk: PruneWalk = { path: [], unknown: [] }
      return { value: prune(value, walk) as JsonObject, unknown: walk.unknown }
    },
    get hasDefaults() {
      return hasDefaults()
    },
    get canPrune() {
      return canPrune()
    },
    applyDefaults(value) {
      const fill = defaulter()
      return fill === undefined ? value : (fill(value) as JsonObject)
    },
  }
}

/** Every write prunes metadata, and its schema is always the same. */
function withFreeMetadata(node: SchemaNode): SchemaNode {
  const properties = new Map(node.properties).set("metadata", untypedNode)
  return { ...node, properties }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** After these, rules would only stumble over what is said already. */
const blocking: ReadonlySet<string> = new Set([
  "NotSupported",
  "Required",
  "TooLong",
  "TooMany",
  "TypeInvalid",
])

const uncheckedText =
  "some validation rules were not checked because the object was invalid; " +
  "correct the existing errors to complete validation"
const unchecked: Issue = {
  code: "Invalid",
  path: [],
  message: uncheckedText,
  detail: { value: null, says: uncheckedText },
}

/** A default has to be a valid value of its own node, with nothing that would be pruned. */
function defaultIssues(root: SchemaNode): readonly Issue[] {
  const issues: Issue[] = []
  for (const { node, path } of walkNodes(root)) {
    const value = node.default
    if (value === undefined) continue
    const at = [...path, "default"]
    const compiled = compileNode(node, false)
    const unknown = isObject(value) ? compiled.prune(value).unknown : nothing
    for (const place of unknown) {
      issues.push({ code: "Unknown", path: [...at, ...place], message: "would be pruned" })
    }
    const full = isObject(value) ? compiled.applyDefaults(value) : value
    for (const issue of compiled.validate(full)) {
      issues.push({ ...issue, path: [...at, ...issue.path] })
    }
  }
  return issues
}
