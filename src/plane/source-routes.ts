// What people decide about a loop's source: letting one exact revision pass that does not follow
// the one before; and asking for a look now. Only people accept; with who and why in the journal.

import type { ExtensionRoute } from "../api/extensions.ts"
import { toTimestamp } from "../base/clock.ts"
import { type Json, toPlainJson } from "../base/json.ts"
import type { Principal } from "../contract/principal.ts"
import { kindText } from "../controllers/plan-approval.ts"
import { acceptWrite, takenRevision } from "../controllers/source-record.ts"
import type { SourceState } from "../controllers/source-state.ts"
import { gitFault } from "../sources/git/faults.ts"
import { sourceView } from "./loop-status.ts"
import type { Plane } from "./plane.ts"
import { loopAccess, named } from "./route-access.ts"

const reasonMax = 500
/** What a person may let pass: history, never a missing signature or another environment. */
const acceptable = new Set(["SPT-GIT-020", "SPT-GIT-021"])

export function sourceRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "POST",
      pattern: "/setpoint/v1/source/accept",
      access: (_params, _query, body) => loopAccess("accept", named(body, "loop")),
      onlyPeople: (principal, _params, body) => notHuman(principal, named(body, "loop")),
      handler: (principal, _params, _query, body) => accept(plane, principal, body),
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/source/fetch",
      access: (_params, _query, body) => loopAccess("look", named(body, "loop")),
      handler: async (_principal, _params, _query, body) => {
        const loop = named(body, "loop")
        const keeper = needSource(plane, loop)
        keeper.poke()
        await keeper.sync()
        return toPlainJson({ loop, source: sourceView(keeper.state) })
      },
    },
  ]
}

function notHuman({ name, kind }: Principal, loop: string) {
  return gitFault("SPT-GIT-041", { loop, principal: name, kind: kindText[kind] })
}

function needSource(plane: Plane, loop: string) {
  const keeper = plane.loops.sourceOf(loop)
  if (keeper !== undefined) return keeper
  throw gitFault("SPT-GIT-042", { loop })
}

async function accept(plane: Plane, principal: Principal, body: Json | undefined): Promise<Json> {
  const loop = named(body, "loop")
  if (principal.kind !== "human") throw notHuman(principal, loop)
  const keeper = needSource(plane, loop)
  const given = named(body, "revision").trim().toLowerCase()
  const reason = named(body, "reason").trim()
  const refuse = (problem: string) =>
    gitFault("SPT-GIT-040", { loop, revision: given.slice(0, 64) || "nothing", problem })
  if (reason === "" || reason.length > reasonMax) throw refuse("it needs a reason, not too long")
  const revision = waitingRevision(keeper.state)
  if (revision === undefined) throw refuse("no commit waits for that")
  // The whole id: a few characters of it are quickly those of another commit, too.
  if (given !== revision) throw refuse(`${revision} is what waits`)
  const { ledger } = plane.engine
  const from = (await takenRevision(ledger, loop, keeper.description))?.revision
  if (from === undefined) throw refuse("nothing was taken that it would have to follow")
  const at = toTimestamp(plane.ports.clock.now())
  const event = { type: "source", state: "accepted", revision, note: reason } as const
  const write = acceptWrite(loop, { revision, from, by: principal.name, at, reason })
  await ledger.note(loop, principal, [event], [write])
  await keeper.sync()
  return toPlainJson({ loop, revision, source: sourceView(keeper.state) })
}

/** The revision that a person may let pass, when one waits for that. */
export function waitingRevision(state: SourceState | undefined): string | undefined {
  if (state?.kind !== "invalid") return undefined
  const held = state.issues.every(({ code }) => acceptable.has(code))
  return held ? state.refused : undefined
}
