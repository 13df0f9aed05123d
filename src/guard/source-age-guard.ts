// Nothing is destroyed on the word of a source that has been silent for long: what it would say now
// is not known.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export const sourceAgeGuard: Guard = {
  name: "source-age",
  judge({ effects, approved }, { sourceAgeMs, spec }) {
    if (effects.length === 0 || approved || sourceAgeMs === undefined) return undefined
    if (sourceAgeMs <= spec.sourceMaxAgeMs || !protects("source-age")) return undefined
    const minutes = Math.floor(sourceAgeMs / 60_000)
    const message = `the source could not be read for ${minutes} min`
    const hint = "it goes on when the source is read again; `setpoint status` says what is wrong"
    return verdict("wait", { guard: "source-age", code: "SourceStale", message, hint })
  },
}
