// Differences as they may be shown: of a Secret's values only that there is one, and that it is
// another one afterwards, in kubectl's words. That annotation of kubectl repeats the values.

import type { Json } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import { lastAppliedAnnotation } from "../schema/last-applied.ts"

export interface FileDifference {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
}

const secretParts = ["data", "stringData", `metadata.annotations.${lastAppliedAnnotation}`]

export function maskedDifference(
  { apiVersion, kind }: Pick<ApiObject, "apiVersion" | "kind">,
  difference: FileDifference,
): FileDifference {
  if (apiVersion !== "v1" || kind !== "Secret") return difference
  const { path, before, after } = difference
  if (!secretParts.some((part) => path === part || path.startsWith(`${part}.`))) return difference
  return {
    path,
    ...(before === undefined ? {} : { before: after === undefined ? "***" : "*** (before)" }),
    ...(after === undefined ? {} : { after: before === undefined ? "***" : "*** (after)" }),
  }
}
