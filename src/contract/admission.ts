// Admission: rules that see every write before it is stored. Mutating ones run first and may answer
// with a changed object; validating ones run last and only refuse, by throwing a fault.

import type { ApiObject, ObjectKey } from "../object/object.ts"
import type { Principal } from "./principal.ts"

export type AdmissionOperation = "create" | "update" | "delete"

export interface AdmissionRequest {
  readonly operation: AdmissionOperation
  /** "" for the object itself. */
  readonly subresource: "" | "status"
  readonly principal: Principal
  readonly key: ObjectKey
  readonly kind: string
  readonly version: string
  readonly namespaced: boolean
  /** As it would be stored; for a delete, as it is. */
  readonly object: ApiObject
  /** As it is stored now; missing when it is being created. */
  readonly old?: ApiObject
  readonly dryRun: boolean
  /** Tells the caller something without refusing. */
  warn(text: string): void
}

export interface Admission {
  /**
   * The object to go on with; validating plugins answer with the one they were given. At once where
   * nothing has to be waited for: most writes are of no concern to most plugins, and pass all.
   */
  admit(request: AdmissionRequest): ApiObject | Promise<ApiObject>
}
