// Which recorded rounds would have been judged otherwise with changed limits: the answer of
// `setpoint guards test --against history`. Reads the journal and changes nothing.

import { isObject, type Json } from "../base/json.ts"
import { changeSpec } from "../controllers/change-spec.ts"
import { backTest, type RecordedRound, type TestedRound } from "../guard/back-test.ts"
import { readJournal } from "../ledger/journal.ts"
import { knownLoop } from "./history-view.ts"
import type { Plane } from "./plane.ts"

/** Per loop; the newest of them. */
const roundsMax = 20_000
const shownMax = 200
const differencesMax = 50

export async function testGuards(plane: Plane, body: Json | undefined): Promise<object> {
  const asked = isObject(body) ? body : {}
  const change = changeSpec(isObject(asked.spec) ? asked.spec : {})
  const sinceMs = typeof asked.sinceMs === "number" ? asked.sinceMs : Infinity
  const since = plane.ports.clock.now() - sinceMs
  const { ledger } = plane.engine
  const loops =
    typeof asked.loop === "string" ? [knownLoop(plane, asked.loop)] : ledger.journalLoops()
  const tested: TestedRound[] = []
  for (const loop of loops) tested.push(...backTest(await roundsOf(plane, loop, since), change))
  const changed = tested.filter((round) => round.differences.length > 0)
  const count = (kinds: readonly string[]) =>
    changed.flatMap((round) => round.differences).filter((one) => kinds.includes(one.wouldBe))
      .length
  return {
    rounds: tested.length,
    changed: changed.length,
    heldMore: count(["hold", "wait", "deny"]),
    allowedMore: count(["allow"]),
    shown: changed.slice(-shownMax).map((round) => ({
      ...round,
      differences: round.differences.slice(0, differencesMax),
      differencesCount: round.differences.length,
    })),
  }
}

async function roundsOf(plane: Plane, loop: string, since: number): Promise<RecordedRound[]> {
  const rounds: RecordedRound[] = []
  for await (const entry of readJournal(plane.engine.ledger.store, loop)) {
    const { sequence, time, event } = entry
    if (event.type !== "round" || Date.parse(time) < since) continue
    rounds.push({ loop, sequence, time, inputs: event.inputs, verdicts: event.verdicts })
    if (rounds.length > 2 * roundsMax) rounds.splice(0, rounds.length - roundsMax)
  }
  return rounds.slice(-roundsMax)
}
