// What a random life knows besides its stage: what was declared, and what people said.

import type { JsonObject } from "../../../src/base/json.ts"
import type { Stage } from "./stage.ts"

export interface Declared {
  readonly spec: JsonObject
  readonly protect: boolean
}

/** What a life knows besides the stage. */
export interface Play {
  readonly stage: Stage
  /** What the source declares, and what was made by API. */
  readonly source: Map<string, Declared>
  readonly api: Map<string, Declared>
  /** Approvals that were sent, to be sent again. */
  readonly sent: { readonly path: string; readonly body: JsonObject }[]
  /** People who approved a digest so far. */
  readonly people: Map<string, Set<string>>
}
