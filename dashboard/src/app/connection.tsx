// Whether what is shown is true now. When the plane does not answer, what was read stays on the
// screen, marked as old, and the page goes on asking by itself.

import { computed } from "@preact/signals"
import { planeStatus } from "../live/status.ts"
import { Age } from "../ui/age.tsx"
import { Badge } from "../ui/badge.tsx"

const standing = computed(() => {
  const { data, fault, at } = planeStatus().value
  if (data === undefined) return fault === undefined ? "asking" : "lost"
  return fault === undefined || Date.now() - at < graceMs ? "live" : "lost"
})

/** One answer that was late is no loss. */
const graceMs = 1500

export function ConnectionState() {
  const { data } = planeStatus().value
  if (standing.value === "lost") return <Badge tone="bad">No connection</Badge>
  if (standing.value === "asking") return <Badge tone="busy">Connecting</Badge>
  return (
    <Badge tone="good" title={`revision ${data?.revision ?? ""}`}>
      Live
    </Badge>
  )
}

export function ConnectionBanner() {
  const { at, fault } = planeStatus().value
  document.documentElement.dataset.stale = standing.value === "lost" ? "true" : "false"
  if (standing.value !== "lost") return null
  return (
    <div class="banner banner-bad" role="alert">
      <strong>The plane does not answer.</strong>
      {at === 0 ? null : (
        <span>
          What you see is <Age time={at} /> old.
        </span>
      )}
      <span class="muted">{fault?.message}. It is asked again by itself.</span>
    </div>
  )
}
