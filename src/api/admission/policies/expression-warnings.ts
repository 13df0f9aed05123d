// What the expressions of a policy stumble over in the kinds that it names: told in its status, as
// Kubernetes does, and never a reason to refuse it, since a kind may change after the policy.

import { equalJson, isObject, type JsonObject } from "../../../base/json.ts"
import type { Admission, AdmissionRequest } from "../../../contract/admission.ts"
import type { ApiObject } from "../../../object/object.ts"
import { plain, type Shape } from "../../../schema/cel/cel-shape.ts"
import { compileErrorText } from "../../../schema/cel/compile-typed.ts"
import { shapeOf } from "../../../schema/cel/schema-shape.ts"
import { admissionGroup } from "../../definitions/admission-registration.ts"
import type { ResourceRegistry } from "../../resource-registry.ts"
import type { ServedResource } from "../../served-resource.ts"
import { compileAdmission, type Scope } from "../match/admission-cel.ts"
import { objects, texts } from "../match/match-rule.ts"

/** More kinds than these are not looked at. */
const kindsMax = 10

export function expressionWarningsAdmission(registry: ResourceRegistry): Admission {
  return {
    admit: (request) => {
      const { key, object, operation, subresource } = request
      const isPolicy =
        key.group === admissionGroup && key.resource === "validatingadmissionpolicies"
      if (!isPolicy || operation === "delete" || subresource !== "") return object
      const expressionWarnings = warnings(registry, object.spec ?? {})
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings }
      const observedGeneration = generationOf(request)
      return { ...object, status: { ...object.status, observedGeneration, typeChecking } }
    },
  }
}

/** As it will be when the write is done. */
function generationOf({ object, old }: AdmissionRequest): number {
  if (old === undefined) return 1
  const generation = old.metadata.generation ?? 0
  return equalJson(old.spec, object.spec) ? generation : generation + 1
}

function warnings(registry: ResourceRegistry, spec: NonNullable<ApiObject["spec"]>): JsonObject[] {
  const kinds = kindsOf(registry, spec).flatMap((resource) => {
    const shape = shapeOfKind(resource)
    return shape === undefined ? [] : [{ name: nameOf(resource), shape }]
  })
  if (kinds.length === 0) return []
  const variables = objects(spec.variables).map(({ name }) => String(name))
  const scope: Scope = { params: spec.paramKind !== undefined, authorizer: true, variables }
  return expressionsOf(spec).flatMap(([fieldRef, source]) => {
    const found = kinds.flatMap(({ name, shape }) => {
      const compiled = compileAdmission(source, scope, undefined, shape)
      if (compiled.kind === "expression") return []
      return [`${name}: ${compileErrorText(compiled.problem, source)}\n`]
    })
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join("") }]
  })
}

function expressionsOf(spec: JsonObject): [string, string][] {
  const places: [string, string][] = [
    ["matchConditions", "expression"],
    ["variables", "expression"],
    ["validations", "expression"],
    ["validations", "messageExpression"],
    ["auditAnnotations", "valueExpression"],
  ]
  return places.flatMap(([list, name]) =>
    objects(spec[list]).flatMap((one, index): [string, string][] => {
      const source = one[name]
      if (typeof source !== "string" || source === "") return []
      return [[`spec.${list}[${index}].${name}`, source]]
    }),
  )
}

/** Only what the rules name outright. */
function kindsOf(registry: ResourceRegistry, { matchConstraints }: JsonObject): ServedResource[] {
  const found = new Set<ServedResource>()
  const rules = isObject(matchConstraints) ? objects(matchConstraints.resourceRules) : []
  for (const rule of rules) {
    for (const group of texts(rule.apiGroups)) {
      for (const version of texts(rule.apiVersions)) {
        for (const resource of texts(rule.resources)) {
          const served = registry.find({ group, version, resource })
          if (served !== undefined && found.size < kindsMax) found.add(served)
        }
      }
    }
  }
  return [...found]
}

/** Metadata is whatever metadata may be. */
function shapeOfKind({ schema }: ServedResource): Shape | undefined {
  const shape = shapeOf(schema.node, true)
  if (shape?.kind !== "object") return undefined
  const metadata = { name: "metadata", shape: plain("dyn") }
  return { ...shape, fields: new Map([...shape.fields, ["metadata", metadata]]) }
}

const nameOf = ({ group, version, kind }: ServedResource): string =>
  `${group === "" ? "" : `${group}/`}${version}, Kind=${kind}`
