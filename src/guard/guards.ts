// The guards of a round. Order does not matter: the strictest answer wins.

import { adoptGuard } from "./adopt-guard.ts"
import { changeLimitGuard } from "./change-limit-guard.ts"
import { coldStartGuard } from "./cold-start-guard.ts"
import { conflictGuard } from "./conflict-guard.ts"
import { deleteGrantGuard } from "./delete-grant-guard.ts"
import { destroyLimitGuard } from "./destroy-limit-guard.ts"
import { driftGuard } from "./drift-guard.ts"
import { flapGuard } from "./flap-guard.ts"
import { freshnessGuard } from "./freshness-guard.ts"
import type { Guard } from "./guard.ts"
import { modeGuard } from "./mode-guard.ts"
import { protectionGuard } from "./protection-guard.ts"
import { rejectionGuard } from "./rejection-guard.ts"
import { restoredGuard } from "./restored-guard.ts"
import { sourceAgeGuard } from "./source-age-guard.ts"
import { vanishGuard } from "./vanish-guard.ts"
import { waveGuard } from "./wave-guard.ts"
import { windowGuard } from "./window-guard.ts"

export const roundGuards: readonly Guard[] = [
  modeGuard,
  freshnessGuard,
  rejectionGuard,
  adoptGuard,
  conflictGuard,
  driftGuard,
  flapGuard,
  changeLimitGuard,
  deleteGrantGuard,
  restoredGuard,
  coldStartGuard,
  sourceAgeGuard,
  vanishGuard,
  windowGuard,
  protectionGuard,
  destroyLimitGuard,
  waveGuard,
]
