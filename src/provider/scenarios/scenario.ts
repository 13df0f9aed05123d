// One scenario: a name, the sentence that it holds a provider and the plane to, and how it plays. A
// scenario that finds nothing to try with this kind says why instead.

import type { JsonObject } from "../../base/json.ts"
import type { ScenarioName } from "./driver.ts"
import type { Stage } from "./stage.ts"

export interface Scenario {
  readonly name: ScenarioName
  readonly promise: string
  /** What the loop says besides its source and its mode. */
  readonly loop?: JsonObject
  /** How much more its plane's time hurries, where most of it is waiting. */
  readonly hurry?: number
  /** Throws where the promise is broken; a text says why there was nothing to try. */
  play(stage: Stage): Promise<string | undefined>
}

/** Limits that no scenario reaches that is about something else. */
export const wide: JsonObject = {
  limits: { deletes: 100, deletesPercent: 100, changes: 1000, window: "1s" },
}
