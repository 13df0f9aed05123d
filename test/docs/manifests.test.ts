// Every manifest that a document or an example shows is read and validated as a source's would be.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { note } from "../../examples/10-own-provider/note.ts"
import { databaseCluster } from "../../examples/25-composition/cluster.ts"
import { documentedKinds } from "../../scripts/documented-kinds.ts"
import { admissionDefinitions } from "../../src/api/definitions/admission-registration.ts"
import { guardPolicyDefinition } from "../../src/api/definitions/guard-policy.ts"
import { invariantDefinition, signalDefinition } from "../../src/api/definitions/invariants.ts"
import { notifierDefinition } from "../../src/api/definitions/notifiers.ts"
import { loopDefinition } from "../../src/api/definitions/setpoint.ts"
import { rulesOf } from "../../src/api/kinds/built-in-rules.ts"
import { at, isArray, isObject, type Json, type JsonObject } from "../../src/base/json.ts"
import { systemClock } from "../../src/base/system.ts"
import { invariantVariables } from "../../src/contract/invariant.ts"
import { positionText } from "../../src/contract/source.ts"
import type { ApiObject } from "../../src/object/object.ts"
import { nodeCommands } from "../../src/provider/adapter/commands.ts"
import { loadPrograms } from "../../src/providers/exec/load-programs.ts"
import { compileCel, problemText } from "../../src/schema/cel/compile-cel.ts"
import { type CompiledSchema, compileSchema } from "../../src/schema/compile-schema.ts"
import { readManifests } from "../../src/sources/manifests/read-manifests.ts"
import { requireTool } from "../tools.ts"
import { blocksOf, documents, root } from "./pages.ts"

/** What the programs of examples/22-exec describe; their tools may be missing here. */
const programs = async () => {
  if (requireTool("jq", "flock", "python3").missing) return []
  const commands = nodeCommands()
  const at = (name: string) => ({ name, path: join(root, "examples/22-exec", name) })
  const kinds = await loadPrograms([at("setting"), at("flag")], commands, systemClock)
  commands.close()
  return kinds
}
const described = await programs()
const own = [loopDefinition, guardPolicyDefinition, invariantDefinition, signalDefinition]
const definitions = [
  ...own,
  notifierDefinition,
  ...admissionDefinitions,
  ...[...documentedKinds, ...described, note, databaseCluster].map((kind) => kind.definition),
]
const schemas = new Map(definitions.map((one) => [kindOf(one), schemaOf(one)]))
const rules = new Map(
  definitions.map((one) => [kindOf(one), rulesOf(one.metadata.name, undefined)]),
)

function kindOf(definition: ApiObject): string {
  return String(at(definition.spec, "names", "kind"))
}

function schemaOf({ spec }: ApiObject): CompiledSchema {
  const versions = at(spec, "versions")
  const version: Json | undefined = isArray(versions) ? versions[0] : undefined
  const schema = at(version, "schema", "openAPIV3Schema")
  if (!isObject(schema)) throw new Error("a definition without a schema")
  return compileSchema(schema)
}

/** What is wrong with these manifests, in words. */
function problems(path: string, text: string): string[] {
  const read = readManifests([{ path, text }], { allowLoops: true })
  if ("issues" in read) {
    return read.issues.map(({ message, position }) =>
      position === undefined ? message : `${positionText(position)}: ${message}`,
    )
  }
  if (read.manifests.length === 0) return [`${path}: no manifest`]
  return read.manifests.flatMap(({ object, position }) => {
    const place = positionText(position)
    const schema = schemas.get(object.kind)
    if (schema === undefined) return [`${place}: no kind ${object.kind}`]
    const { value, unknown } = schema.prune({ ...object } as object as JsonObject)
    const issues = schema.validate(schema.applyDefaults(value))
    return [
      ...unknown.map((field) => `${place}: unknown field ${JSON.stringify(field)}`),
      ...issues.map((issue) => `${place}: ${JSON.stringify(issue)}`),
      ...(object.kind === "Invariant" ? expressionProblems(place, object) : []),
      ...(rules.get(object.kind)?.check?.(object, undefined) ?? []).map(
        ({ field, message }) => `${place}: ${field}: ${message}`,
      ),
    ]
  })
}

function expressionProblems(place: string, object: ApiObject): string[] {
  const source = String(object.spec?.expression)
  const compiled = compileCel(source, { variables: invariantVariables, type: "bool" })
  return compiled.kind === "problem" ? [`${place}: ${problemText(compiled.problem, source)}`] : []
}

/** Kinds that only a plane knows; commands.test.ts gives them to one. */
const served = /^kind: (ConfigMap|Secret|CustomResourceDefinition|Database|Site|Overlay|Note)$/m

describe("manifests", () => {
  it("in documents are good", () => {
    const blocks = documents()
      .flatMap(blocksOf)
      .filter(({ language, text }) => language === "yaml" && text.includes("apiVersion:"))
      .filter(({ marker, text }) => !(marker.startsWith("file:") && served.test(text)))
    expect(blocks.length).toBeGreaterThan(5)
    expect(blocks.flatMap(({ page, line, text }) => problems(`${page}:${line}`, text))).toEqual([])
  })

  it("in examples are good", () => {
    const paths = readdirSync(join(root, "examples"), { recursive: true })
      .map((entry) => join("examples", String(entry)))
      .filter((path) => path.endsWith(".yaml"))
      .filter((path) => described.length > 0 || !path.includes("22-exec"))
    expect(paths.length).toBeGreaterThan(5)
    const found = paths.flatMap((path) => problems(path, readFileSync(join(root, path), "utf8")))
    expect(found).toEqual([])
  })

  it("that are wrong are found", () => {
    const wrong =
      "apiVersion: host.setpoint.dev/v1\nkind: File\nmetadata: {name: a}\nspec: {path: x}\n"
    expect(problems("wrong.yaml", wrong).join()).toContain("path")
    expect(problems("wrong.yaml", "kind: File\n").join()).toContain("apiVersion")
  })
})
