// Whether everything runs: `npm run test:all` sets it, `npm test` has ten minutes. What only runs
// then are further cases of what `npm test` shows once, and long repeats.

import { it } from "vitest"

export const full = process.env.SETPOINT_TEST_FULL === "1"

/** A test that is left to `npm run test:all`. */
export const itInFull = it.runIf(full)
