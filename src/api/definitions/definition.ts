// The definition of definitions: apiextensions.k8s.io/v1 CustomResourceDefinition.

import type { ApiObject } from "../../object/object.ts"
import { conditions, defineBuiltIn, flag, list, object, open, text } from "./define.ts"

const names = object(
  {
    plural: text(),
    singular: text(),
    kind: text(),
    listKind: text(),
    shortNames: list(text()),
    categories: list(text()),
  },
  { required: ["plural", "kind"] },
)

const version = object(
  {
    name: text(),
    served: flag(),
    storage: flag(),
    deprecated: flag(),
    deprecationWarning: text(),
    schema: object({ openAPIV3Schema: open }),
    subresources: open,
    additionalPrinterColumns: list(open),
    selectableFields: list(open),
  },
  { required: ["name", "served", "storage"] },
)

export const definitionDefinition: ApiObject = defineBuiltIn({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  namespaced: false,
  status: true,
  schema: object(
    {
      spec: object(
        {
          group: text(),
          names,
          scope: text({ enum: ["Namespaced", "Cluster"] }),
          versions: list(version, { minItems: 1, maxItems: 20 }),
          conversion: open,
          preserveUnknownFields: flag(),
        },
        { required: ["group", "names", "scope", "versions"] },
      ),
      status: object({ conditions, acceptedNames: open, storedVersions: list(text()) }),
    },
    { required: ["spec"] },
  ),
})
