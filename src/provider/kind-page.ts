// The documentation page of a kind, written from its definition, so that it can't be out of date:
// every field with type, default and meaning, what can be referred to, and a manifest to start
// from.

import { stringify } from "yaml"
import { isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import type { CompositeKind } from "../contract/composite.ts"
import type { KindProvider } from "../contract/provider.ts"
import { rootSchemaOf, specSchemaOf } from "./spec-schema.ts"

interface Row {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly schema: JsonObject
}

export function kindPage(kind: KindProvider | CompositeKind): string {
  const spec = specSchemaOf(kind)
  const rows = rowsOf(spec, "", 0)
  const references = rows.filter(({ schema }) => schema["x-setpoint-reference"] !== undefined)
  const description = rootSchemaOf(kind).description
  const scope = kind.namespaced ? "namespaced" : "cluster-scoped"
  const parts = [
    `# ${kind.kind}`,
    ...(typeof description === "string" ? [description] : []),
    `\`${kind.group}/${kind.version}\`, ${scope}; \`kubectl get ${kind.resource}\`.`,
    ...("compose" in kind ? partsOf(kind) : factsOf(kind)),
    "## Fields",
    tableOf(rows.filter(({ path }) => !isInside(path, references))),
    ...(references.length === 0 ? [] : ["## References", referencesText(references)]),
    "## Example",
    `\`\`\`yaml\n${stringify(exampleOf(kind, spec))}\`\`\``,
  ]
  return `${parts.join("\n\n")}\n`
}

function partsOf({ children }: CompositeKind): readonly string[] {
  const kinds = children.map((child) => `${child.kind} (\`${child.group}\`)`)
  return kinds.length === 0 ? [] : [`- Made of objects of other kinds: ${kinds.join(", ")}.`]
}

function factsOf(kind: KindProvider): readonly string[] {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ")
  const facts = [
    ...(kind.replaceOn.length === 0
      ? []
      : [`- A change of ${list(kind.replaceOn)} replaces the target.`]),
    ...(kind.secretPaths.length === 0
      ? []
      : [`- Stored and shown only as a keyed hash: ${list(kind.secretPaths)}.`]),
    ...(kind.identityRule === "none"
      ? ["- A create whose answer is lost can't be recognised: it stalls as CreateUncertain."]
      : []),
  ]
  return facts.length === 0 ? [] : [facts.join("\n")]
}

const depthMax = 16

function rowsOf(schema: JsonObject, path: string, depth: number): readonly Row[] {
  if (depth > depthMax || !isObject(schema.properties)) return []
  const required = isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([name, child]) => {
    if (!isObject(child)) return []
    const own = path === "" ? name : `${path}.${name}`
    const row = { path: own, type: typeOf(child), required: required.includes(name), schema: child }
    const inner = isObject(child.items)
      ? rowsOf(child.items, `${own}[]`, depth + 1)
      : isObject(child.additionalProperties)
        ? rowsOf(child.additionalProperties, `${own}.*`, depth + 1)
        : rowsOf(child, own, depth + 1)
    return [row, ...inner]
  })
}

function isInside(path: string, references: readonly Row[]): boolean {
  return references.some((reference) => path.startsWith(`${reference.path}.`))
}

function typeOf(schema: JsonObject): string {
  const base =
    schema["x-kubernetes-int-or-string"] === true
      ? "integer or string"
      : isObject(schema.items)
        ? `list of ${typeOf(schema.items)}`
        : isObject(schema.additionalProperties)
          ? `map of ${typeOf(schema.additionalProperties)}`
          : typeof schema.type === "string"
            ? schema.type
            : "anything"
  const values = isArray(schema.enum)
    ? `: ${schema.enum.map((one) => `\`${one}\``).join(", ")}`
    : ""
  return `${base}${values}${schema.nullable === true ? " or null" : ""}`
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ path, type, required, schema }) => {
    const byDefault = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``
    const cells = [`\`${path}\``, type, required ? "yes" : "", byDefault, cell(schema.description)]
    return `| ${cells.map(cell).join(" | ")} |`
  })
  const head = "| field | type | required | default | meaning |\n| --- | --- | --- | --- | --- |"
  return [head, ...lines].join("\n")
}

function cell(text: Json | undefined): string {
  if (typeof text !== "string") return ""
  return text.replaceAll(/(?<!\\)\|/g, "\\|").replaceAll(/\s+/g, " ")
}

function referencesText(rows: readonly Row[]): string {
  const lines = rows.map(({ path, schema }) => {
    return `- \`${path}\` instead of \`${siblingOf(path, String(schema["x-setpoint-reference"]))}\``
  })
  const about = "These take `{kind, name, field}` of another object, and wait until it has a value:"
  return [about, "", ...lines].join("\n")
}

function siblingOf(path: string, name: string): string {
  const dot = path.lastIndexOf(".")
  return dot < 0 ? name : `${path.slice(0, dot)}.${name}`
}

function exampleOf(kind: KindProvider | CompositeKind, spec: JsonObject): JsonObject {
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: "example" },
    spec: sampleOf(spec, "spec", 0),
  }
}

/** A value for every field that has to be given; of an alternative the plain one. */
function sampleOf(schema: JsonObject, name: string, depth: number): Json {
  if (schema.default !== undefined) return schema.default
  if (isArray(schema.enum) && schema.enum[0] !== undefined) return schema.enum[0]
  if (schema.type === "integer" || schema.type === "number") return Number(schema.minimum ?? 1)
  if (schema.type === "boolean") return true
  if (schema.type === "array") {
    const { items } = schema
    return isObject(items) && depth < depthMax ? [sampleOf(items, name, depth + 1)] : []
  }
  if (schema.type !== "object") return schema.format === "uri" ? "https://example.com" : name
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = isArray(schema.required) ? schema.required : []
  const shown = Object.entries(properties).filter(([member, child]) => {
    const referable = isObject(child) && child["x-setpoint-ref"] !== undefined
    return required.includes(member) || (referable && depth === 0)
  })
  return Object.fromEntries(
    shown.map(([member, child]) => [
      member,
      isObject(child) && depth < depthMax ? sampleOf(child, member, depth + 1) : null,
    ]),
  )
}
