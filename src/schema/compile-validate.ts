// Turns a node into a closure that validates a value. No code is generated; a valid value costs a
// few calls and no allocation.

import { forbiddenKeys, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { compileValueRules } from "./compile-value-rules.ts"
import { correlate, isUnchanged } from "./correlate.ts"
import { issuePathText } from "./issue.ts"
import { type SchemaNode, untypedNode } from "./schema-node.ts"
import {
  typeName,
  type ValidationWalk,
  type Validator,
  validateUntyped,
} from "./validation-walk.ts"

export function compileValidator(node: SchemaNode): Validator {
  return compile(node, false)
}

/** `nested`: inside allOf, anyOf, oneOf or not, where the schema around it judges the type. */
function compile(node: SchemaNode, nested: boolean): Validator {
  if (node === untypedNode) return validateUntyped
  const rules = compileValueRules(node)
  const checkType = compileType(node, nested)
  const checkList = compileList(node, nested)
  const checkObject = compileObject(node, nested)
  const junctors = compileJunctors(node)
  const judge: Validator = (value, walk, old) => {
    if (value === null && node.nullable) return
    if (!checkType(value)) {
      wrongType(node, value, walk)
      // A value of another type is not among those listed either; Kubernetes says both.
      if (value !== null) for (const rule of rules.any) rule(value, walk)
      return
    }
    for (const rule of rules.any) rule(value, walk)
    if (typeof value === "string") {
      for (const rule of rules.text) rule(value, walk)
    } else if (typeof value === "number" || typeof value === "bigint") {
      if (typeof value === "number" && !isExact(node, value)) {
        return walk.report("Invalid", "is a number beyond 2^53, which can't be kept exactly")
      }
      for (const rule of rules.number) rule(value, walk)
    } else if (isArray(value)) {
      for (const rule of rules.list) rule(value, walk)
      checkList?.(value, walk, old)
    } else if (isObject(value)) {
      for (const rule of rules.object) rule(value, walk)
      checkObject?.(value, walk, old)
    }
    for (const junctor of junctors) junctor(value, walk)
  }
  const forgiving: Validator = (value, walk, old) => {
    const before = walk.issues.length
    judge(value, walk, old)
    if (old === undefined || walk.issues.length === before) return
    if (isUnchanged(node, value, old)) walk.issues.length = before
  }
  return node.secret ? hiding(forgiving) : forgiving
}

function hiding(judge: Validator): Validator {
  return (value, walk, old) => {
    walk.hidden++
    judge(value, walk, old)
    walk.hidden--
  }
}

function wrongType(node: SchemaNode, value: Json, walk: ValidationWalk): void {
  const [wanted, found] = [typeText(node), typeName(value)]
  const kubeType = node.intOrString ? "integer,string" : wanted
  const body = `must be of type ${kubeType}: "${found}"`
  walk.report("TypeInvalid", `must be of type ${wanted}, not ${found}`, { value: found, body })
}

function isExact(node: SchemaNode, value: number): boolean {
  if (!Number.isFinite(value)) return false
  return node.type === "number" || !Number.isInteger(value) || Number.isSafeInteger(value)
}

const isInteger = (value: Json): boolean => typeof value === "bigint" || Number.isInteger(value)

function typeText(node: SchemaNode): string {
  return node.intOrString ? "integer or string" : (node.type ?? "any")
}

function compileType(node: SchemaNode, nested: boolean): (value: Json) => boolean {
  if (node.intOrString) return (value) => typeof value === "string" || isInteger(value)
  switch (node.type) {
    case "object":
      return isObject
    case "array":
      return isArray
    case "integer":
      return isInteger
    case "number":
      return (value) => typeof value === "number" || typeof value === "bigint"
    case "string":
    case "boolean": {
      const wanted = node.type
      return (value) => typeof value === wanted
    }
    default:
      return nested ? () => true : (value) => value !== null
  }
}

function compileList(node: SchemaNode, nested: boolean) {
  const items = node.items
  if (items === undefined) return nested || node.type !== undefined ? undefined : validateUntyped
  const validate = compile(items, nested)
  return (value: readonly Json[], walk: ValidationWalk, old?: Json) => {
    const find = old === undefined ? undefined : correlate(node, old)
    for (let index = 0; index < value.length; index++) {
      const item = value[index] ?? null
      walk.down(index, item, validate, find?.(item, index))
    }
  }
}

interface Member {
  readonly name: string
  readonly validate: Validator
  /** The name exists on every object ("toString"), so that reading it proves nothing. */
  readonly inherited: boolean
}

function compileObject(node: SchemaNode, nested: boolean) {
  const members: Member[] = []
  for (const [name, member] of node.properties) {
    members.push({ name, validate: compile(member, nested), inherited: name in {} })
  }
  const others = compileOthers(node, nested)
  const { required, properties } = node
  if (members.length === 0 && required.length === 0 && others === undefined) return undefined
  return (value: JsonObject, walk: ValidationWalk, old?: Json) => {
    const before = isObject(old) ? old : undefined
    for (const name of required) {
      if (value[name] === undefined || (name in {} && !Object.hasOwn(value, name))) {
        walk.reportAt(name, "Required", "is required", {})
      }
    }
    for (const { name, validate, inherited } of members) {
      const member = value[name]
      if (member === undefined || (inherited && !Object.hasOwn(value, name))) continue
      walk.down(name, member, validate, before?.[name])
    }
    if (others === undefined) return
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (member === undefined || properties.has(name)) continue
      if (forbiddenKeys.has(name)) walk.reportAt(name, "Forbidden", "can't be a member's name")
      else walk.down(name, member, others, before?.[name])
    }
  }
}

function compileOthers(node: SchemaNode, nested: boolean): Validator | undefined {
  if (node.additional !== undefined) return compile(node.additional, nested)
  return node.preserveUnknown ? validateUntyped : undefined
}

function compileJunctors(node: SchemaNode): Validator[] {
  const junctors: Validator[] = node.allOf.map((branch) => compile(branch, true))
  if (node.anyOf.length > 0) {
    const branches = node.anyOf.map((branch) => compile(branch, true))
    junctors.push((value, walk) => {
      if (branches.some((branch) => walk.passes(value, branch))) return
      const says = `"${issuePathText(walk.path)}" must validate at least one schema (anyOf)`
      const message = "must match at least one of the forms in anyOf"
      walk.report("Invalid", message, { value: "", says })
    })
  }
  if (node.oneOf.length > 0) {
    const branches = node.oneOf.map((branch) => compile(branch, true))
    junctors.push((value, walk) => {
      const matches = branches.filter((branch) => walk.passes(value, branch)).length
      if (matches === 1) return
      const found = matches === 0 ? "none valid" : `${matches} valid alternatives`
      const where = `"${issuePathText(walk.path)}" must validate one and only one schema (oneOf)`
      const message = `must match exactly one of the forms in oneOf, not ${matches}`
      walk.report("Invalid", message, { value: "", says: `${where}. Found ${found}` })
    })
  }
  if (node.not !== undefined) {
    const branch = compile(node.not, true)
    junctors.push((value, walk) => {
      if (!walk.passes(value, branch)) return
      const says = `"${issuePathText(walk.path)}" must not validate the schema (not)`
      walk.report("Invalid", "must not match the form in not", { value: "", says })
    })
  }
  return junctors
}
