// What a built-in kind has beyond its schema: how a caller's form of it is completed, what is valid
// in it, in which other form it is stored, and what field selectors may ask of it. Rules are pure,
// and never put a value of a Secret into a message.

import type { ApiObject } from "../../object/object.ts"
import type { FieldCause } from "../faults.ts"

export interface KindRules {
  /** Before anything is compared or stored; throws 400. */
  complete?(object: ApiObject): ApiObject
  /** `old` is missing when the object is being created. */
  check?(object: ApiObject, old: ApiObject | undefined): readonly FieldCause[]
  /** From the stored form to the served one and back; only for kinds that share a store. */
  fromStored?(object: ApiObject): ApiObject
  toStored?(object: ApiObject): ApiObject
  /** Of the stored object, when its values may be larger than those of others. */
  readonly bytesMax?: number
  /** What field selectors may name besides name and namespace. */
  readonly fields?: Readonly<Record<string, (object: ApiObject) => string>>
}
