// The plane in a few numbers, over the table of its loops.

import type { ComponentChildren } from "preact"
import type { Numbers } from "../../live/series.ts"
import type { LoopView, StatusView } from "../../live/status.ts"
import { Age, ageText } from "../../ui/age.tsx"
import { Shape, type Tone } from "../../ui/badge.tsx"
import { healthOf } from "./loop-health.ts"

export interface SummaryProps {
  readonly status: StatusView
  readonly numbers: Numbers
}

const sum = (loops: readonly LoopView[], count: (loop: LoopView) => number): number =>
  loops.reduce((all, loop) => all + count(loop), 0)

export function Summary({ status, numbers }: SummaryProps) {
  const { loops, stops, queue, inFlight } = status
  const objects = sum(loops, (loop) => loop.objects)
  const converged = sum(loops, (loop) => loop.converged)
  const held = sum(loops, ({ plan }) => plan?.actions ?? 0)
  const well = loops.filter((loop) => ["good", "calm"].includes(healthOf(loop, stops).tone)).length
  const drift = sum(loops, ({ id }) => numbers.loops.get(id)?.driftCount ?? 0)
  const open = status.connections.length
  const oldest = loops.flatMap((loop) => (loop.oldest === undefined ? [] : [loop.oldest.since]))
  return (
    <dl class="summary">
      <Tile name="Loops in order" tone={well === loops.length ? "good" : "warn"}>
        {`${well} of ${loops.length}`}
      </Tile>
      <Tile name="As declared" tone={converged === objects ? "good" : "warn"}>
        {converged === objects
          ? objects.toLocaleString("en")
          : `${converged.toLocaleString("en")} of ${objects.toLocaleString("en")}`}
      </Tile>
      <Tile name="Waits for you" tone={held === 0 ? "good" : "warn"}>
        {held === 0 ? "nothing" : held.toLocaleString("en")}
      </Tile>
      <Tile name="Oldest difference" tone={oldest.length === 0 ? "good" : "busy"}>
        {oldest.length === 0 ? "none" : <Age time={oldest.sort()[0]} />}
      </Tile>
      <Tile name="Drift, 15 min" tone={drift === 0 ? "good" : "busy"}>
        {drift === 0 ? "none" : drift.toLocaleString("en")}
      </Tile>
      <Tile name="Queue" tone={queue.oldestMs > 30_000 ? "warn" : "calm"}>
        {queue.depth === 0 ? "empty" : `${queue.depth}, ${ageText(queue.oldestMs)} old`}
      </Tile>
      <Tile name="Acting" tone={inFlight > 0 ? "busy" : "calm"}>
        {inFlight === 0 ? "none" : String(inFlight)}
      </Tile>
      <Tile name="Open breakers" tone={open === 0 ? "good" : "bad"}>
        {open === 0 ? "none" : status.connections.map(({ connection }) => connection).join(", ")}
      </Tile>
    </dl>
  )
}

interface TileProps {
  readonly name: string
  readonly tone: Tone
  readonly children: ComponentChildren
}

function Tile({ name, tone, children }: TileProps) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <Shape tone={tone} /> {children}
      </dd>
    </div>
  )
}
