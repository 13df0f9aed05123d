// Keeps V8's young generation at 8 to 16 MB. By itself it doubles up to 64 MB under load and stays
// there: a quarter of what a busy plane holds, for no gain in speed that could be measured. The
// limit that V8 has for this can only be given on the command line, so growing is switched off
// instead, once there is enough.

import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

const enoughBytes = 8 * 1024 * 1024

export function boundYoungSpace(): void {
  let grows = true
  const look = () => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space")
    const mayGrow = (young?.space_size ?? 0) < enoughBytes
    if (mayGrow === grows) return
    grows = mayGrow
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  }
  look()
  new PerformanceObserver(look).observe({ entryTypes: ["gc"] })
}
