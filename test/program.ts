// The program that tests start as a process: what `npm test` has just built, as users run it and in
// half the time, and the sources when a test is run by hand, so that no stale build is tested.

import { fileURLToPath } from "node:url"

const root = new URL("../", import.meta.url)
const built = process.env.SETPOINT_TEST_BUILT === "1"
const path = built ? "dist/bundle/main.js" : "src/cli/main.ts"

/** For `process.execPath`. */
export const program = fileURLToPath(new URL(path, root))

/** It is compiled once, not once per process: the value of NODE_COMPILE_CACHE. */
export const compiled = fileURLToPath(new URL("node_modules/.cache/setpoint-tests", root))
