// Waves: within a loop nothing acts before everything of the waves before it is ready, and nothing
// is deleted before everything of the waves after it is gone. Approved actions keep that order too.

import { protects } from "../base/protections.ts"
import { type Guard, verdict } from "./guard.ts"

export interface WaveFacts {
  /** The first wave in which something is not ready, and what. */
  readonly unready?: { readonly wave: number; readonly object: string }
  /** The last wave in which something is still being deleted, and what. */
  readonly going?: { readonly wave: number; readonly object: string }
}

export const waveGuard: Guard = {
  name: "wave",
  judge({ action, wave = 0 }, { waves }) {
    if (waves === undefined || !protects("waves-act-in-turn")) return undefined
    const { unready, going } = waves
    const deletes = action.verb === "delete"
    const before = deletes ? going : unready
    const inTurn = before === undefined || (deletes ? before.wave <= wave : before.wave >= wave)
    if (inTurn) return undefined
    const what = deletes ? "is still there" : "is not ready"
    const message = `wave ${wave} waits for wave ${before.wave}: ${before.object} ${what}`
    const hint = "it goes on by itself; `setpoint explain` of that object says what it waits for"
    return verdict("wait", { guard: "wave", code: "Wave", message, hint })
  },
}
