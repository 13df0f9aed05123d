// A map that is computed when it is read, such as a document seen through its schema.

import type { CelValue } from "./cel-value.ts"

export abstract class MapView {
  /** Undefined when there is no such member. */
  abstract get(key: CelValue): CelValue | undefined
  abstract names(): readonly string[]
}
