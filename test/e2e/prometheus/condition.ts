// What makes an alert fire on a real plane, and what ends it.

import type { PlaneRig } from "../plane/plane-rig.ts"

export interface Condition {
  readonly alerts: readonly string[]
  readonly rig: PlaneRig
  /** NAME of the loop that it happens in; of the whole plane when missing. */
  readonly loop?: string
  cause(): void | Promise<void>
  undo(): void | Promise<void>
  /** Done again and again while it lasts, and until it is over. */
  poke?(): void | Promise<void>
}
