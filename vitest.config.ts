import { defineConfig } from "vitest/config"
import { LongestFirst } from "./scripts/longest-first.ts"
import { ProgressReporter } from "./scripts/progress-reporter.ts"

const progress = process.env.SETPOINT_TEST_PROGRESS

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "dashboard/src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A worker that does not end by itself must not hold up everything.
    teardownTimeout: 10_000,
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    ...(progress === undefined ? {} : { reporters: ["json", new ProgressReporter(progress)] }),
  },
})
