// The causes that rules of built-in kinds report, worded as Kubernetes does.

import type { FieldCause } from "../faults.ts"

export const invalid = (field: string, message: string): FieldCause => ({
  field,
  reason: "FieldValueInvalid",
  message,
})

export const required = (field: string): FieldCause => ({
  field,
  reason: "FieldValueRequired",
  message: "Required value",
})

export const forbidden = (field: string, message: string): FieldCause => ({
  field,
  reason: "FieldValueForbidden",
  message,
})

export const tooLong = (field: string, most: number): FieldCause => ({
  field,
  reason: "FieldValueTooLong",
  message: `may not be more than ${most} bytes`,
})
