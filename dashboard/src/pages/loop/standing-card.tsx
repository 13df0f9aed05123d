// How a loop stands: counts, what holds it up, and what would have to happen.

import { Link, pathTo } from "../../app/router.tsx"
import { type LoopView, planeStatus, stops } from "../../live/status.ts"
import { Age } from "../../ui/age.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { Card, type Fact, Facts } from "../../ui/card.tsx"
import { Prose } from "../../ui/prose.tsx"
import { visible } from "../../ui/visible.ts"
import { shortKey } from "../overview/loop-columns.tsx"
import { counted, stopsOf } from "../overview/loop-health.ts"
import { stopWhat } from "../stop/stop-banner.tsx"
import type { Condition, LoopObject } from "./loop-object.ts"
import { planPath } from "./loop-page.tsx"

export interface StandingProps {
  readonly loop: LoopView
  readonly object: LoopObject | undefined
}

export function StandingCard({ loop, object }: StandingProps) {
  const conditions = object?.status?.conditions ?? []
  return (
    <Card title="How it stands">
      <Facts facts={[...countFacts(loop), ...troubleFacts(loop, object)]} />
      {conditions.map((condition) => (
        <ConditionLine key={condition.type} condition={condition} />
      ))}
    </Card>
  )
}

function countFacts(loop: LoopView): Fact[] {
  const { converged, objects, inventory, orphans, states, lastRound } = loop
  const waiting = Object.entries(states)
  return [
    {
      name: "As declared",
      value: `${converged.toLocaleString("en")} of ${counted(objects, "object")}`,
    },
    { name: "Owned targets", value: inventory.toLocaleString("en") },
    ...(orphans === 0 ? [] : [{ name: "Orphans", value: counted(orphans, "orphan") }]),
    ...(waiting.length === 0
      ? []
      : [
          {
            name: "The others",
            value: waiting.map(([name, count]) => `${count} ${name}`).join(", "),
          },
        ]),
    ...(lastRound === undefined
      ? []
      : [
          {
            name: "Last round",
            value: (
              <>
                <Age time={lastRound.time} /> ago: {lastRound.verdicts}
              </>
            ),
          },
        ]),
  ]
}

function troubleFacts(loop: LoopView, object: LoopObject | undefined): Fact[] {
  const { plan, oldest, invariants, doubts, rollback, lastGood } = loop
  const glass = planeStatus().value.data?.breakGlass.find((one) => one.loop === loop.id)
  const clean = object?.status?.cleanRounds
  const facts: (Fact | undefined)[] = [
    ...stopsOf(loop, stops.value).map((stop) => ({ name: "Stopped", value: stopWhat(stop) })),
    plan && {
      name: "Waits for a person",
      value: (
        <Link to={planPath(plan.name)}>{`${counted(plan.actions, "action")} in ${plan.name}`}</Link>
      ),
    },
    oldest && {
      name: "Oldest",
      value: (
        <>
          <Link to={pathTo("/objects/*key", { key: oldest.object })}>
            {shortKey(oldest.object)}
          </Link>{" "}
          for <Age time={oldest.since} />: <Prose text={oldest.message} />
          {oldest.next === undefined ? null : (
            <p class="muted">
              <Prose text={oldest.next} />
            </p>
          )}
        </>
      ),
    },
    ...invariants.map(({ name, state, message }) => ({
      name: `Invariant ${name}`,
      value: visible(message ?? state),
    })),
    ...doubts.slice(0, 5).map((doubt) => ({ name: "Doubt", value: visible(doubt) })),
    rollback == null ? undefined : { name: "Rolled back", value: visible(rollback.text ?? "yes") },
    glass && { name: "Break-glass", value: visible(glass.text ?? "in force") },
    typeof clean === "number" ? { name: "Clean rounds", value: String(clean) } : undefined,
    lastGood == null
      ? undefined
      : {
          name: "Last good",
          value: (
            <>
              {counted(lastGood.objects, "object")}, <Age time={lastGood.created} /> ago
            </>
          ),
        },
  ]
  return facts.filter((fact) => fact !== undefined)
}

const goodWhenTrue: ReadonlySet<string> = new Set(["Ready"])

function toneOf({ type, status }: Condition): Tone {
  if (status === "Unknown") return "calm"
  return (status === "True") === goodWhenTrue.has(type) ? "good" : "warn"
}

function ConditionLine({ condition }: { readonly condition: Condition }) {
  const { type, status, reason = "", message = "" } = condition
  return (
    <p class="condition">
      <Badge tone={toneOf(condition)}>{`${type}: ${status}`}</Badge>
      <span>
        {reason} <span class="muted">{visible(message)}</span>
      </span>
    </p>
  )
}
