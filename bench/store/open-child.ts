// Opens a data directory in a process of its own and prints what that took: time until it is ready,
// memory, and the longest pause of the garbage collector, as one line of JSON.

import { readFileSync } from "node:fs"
import { PerformanceObserver } from "node:perf_hooks"
import { systemClock as clock, systemRandom as random } from "../../src/base/system.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"

let longestPauseMs = 0
let collections = 0
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    longestPauseMs = Math.max(longestPauseMs, entry.duration)
    collections++
  }
})
observer.observe({ entryTypes: ["gc"] })

const directory = process.argv[2] ?? ""
const began = performance.now()
const opened = await openDataDirectory({ directory, clock, random })
const openMs = performance.now() - began
// The first page of a list, as a client would ask for.
const page = await opened.store.range({ prefix: "/registry/", limit: 500 })
const readyMs = performance.now() - began
await new Promise((resolve) => setTimeout(resolve, 100))
const anonymous = /RssAnon:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))
const rssAnonMb = Number(anonymous?.[1] ?? 0) / 1024
const entries = page.kind === "range" ? page.entries.length : 0
const { rows } = opened.store
console.log(
  JSON.stringify({ openMs, readyMs, rssAnonMb, longestPauseMs, collections, rows, entries }),
)
await opened.close()
