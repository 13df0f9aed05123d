// The keys of the demo, as the screen shows them. Each prints the real shell command, runs exactly
// that, waits for what it brings about, and says what happened; nothing is acted out.

import type { DemoAction } from "../stage.ts"
import { approve, approveStale, reject } from "./decide.ts"
import { editConfig } from "./edit-config.ts"
import { flood } from "./flood.ts"
import { killPlane } from "./kill-plane.ts"
import { killReplicas } from "./kill-replicas.ts"
import { dashboard, plan, showNaive, status } from "./look.ts"
import { bringBack, removeManifests } from "./remove-manifests.ts"
import { resume, stop } from "./stop.ts"
import { unreadable } from "./unreadable.ts"

export const demoActions: readonly DemoAction[] = [
  ...[killReplicas, editConfig, removeManifests, approveStale, approve, reject],
  ...[unreadable, bringBack, killPlane, flood, stop, resume],
  ...[status, plan, showNaive, dashboard],
]

/** Shown with them, and done by the demo itself. */
export const otherKeys = [
  { key: "?", title: "these keys" },
  { key: "q", title: "quit, leave nothing" },
] as const

/** Once through every key, in an order in which each has something to do. */
export const tour = "ekotprayb9rjbuebfsecfdpt"
