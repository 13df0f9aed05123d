// Reading parts of a definition that may not be what they should be.

import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts"

/** Says what is wrong, and where. */
export type Refuse = (field: string, message: string, reason?: string) => void

export const textAt = (value: Json | undefined, name: string): string => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === "string" ? found : ""
}

export const objectsAt = (value: Json | undefined, name: string): JsonObject[] => {
  const found = isObject(value) ? value[name] : undefined
  return isArray(found) ? found.filter(isObject) : []
}
