// Definitions as they are written: names are completed, everything is checked, and the status says
// whether they are served. A change of the status alone may only take versions away that no object
// is stored in by default.

import type { Clock } from "../../base/clock.ts"
import { toTimestamp } from "../../base/clock.ts"
import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { Admission } from "../../contract/admission.ts"
import type { ApiObject } from "../../object/object.ts"
import { checkDefinition } from "../definitions/check-definition.ts"
import { objectsAt, textAt } from "../definitions/definition-parts.ts"
import { definitionStatus } from "../definitions/definition-status.ts"
import { definitionGroup, definitionResource, type ResourceRegistry } from "../resource-registry.ts"
import { invalidFault } from "../validate-object.ts"

export function definitionAdmission(registry: ResourceRegistry, clock: Clock): Admission {
  return {
    admit: ({ key, object, old, operation, subresource }) => {
      if (key.group !== definitionGroup || key.resource !== definitionResource) return object
      if (operation === "delete") return object
      if (subresource === "status") {
        checkStatus(object)
        return object
      }
      const whole = withDefaults(object)
      const causes = checkDefinition(whole, old)
      if (causes.length > 0) throw invalid(whole, causes)
      const taken = registry.takenNames(whole)
      const status = definitionStatus(whole, old, taken, toTimestamp(clock.now()))
      return { ...whole, status }
    },
  }
}

const invalid = (object: ApiObject, causes: Parameters<typeof invalidFault>[2]) =>
  invalidFault("CustomResourceDefinition", object.metadata.name, causes)

function withDefaults(object: ApiObject): ApiObject {
  const spec: JsonObject = isObject(object.spec) ? object.spec : {}
  const names: JsonObject = isObject(spec.names) ? spec.names : {}
  const kind = textAt(names, "kind")
  const full = {
    ...names,
    singular: textAt(names, "singular") || kind.toLowerCase(),
    listKind: textAt(names, "listKind") || `${kind}List`,
  }
  return { ...object, spec: { conversion: { strategy: "None" }, ...spec, names: full } }
}

function checkStatus(object: ApiObject): void {
  const stored = object.status?.storedVersions
  const names = isArray(stored) ? stored : []
  const storage = objectsAt(object.spec as Json | undefined, "versions").find(
    (version) => version.storage === true,
  )?.name
  if (names.includes(storage ?? "")) return
  const shown = JSON.stringify(names)
  const says =
    names.length === 0
      ? "must have at least one stored version"
      : `must have the storage version ${String(storage)}`
  const field = "status.storedVersions"
  const message = `Invalid value: ${shown}: ${says}`
  throw invalid(object, [{ field, reason: "FieldValueInvalid", message }])
}
