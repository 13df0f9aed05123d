// One plan, to be decided on: exactly what would be done, why it waits, and Approve and Reject for
// the hash that is on the screen. When that is no longer what would happen the page says so at
// once, and nothing can be approved here any more.

import { useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { PageProps } from "../../app/pages.ts"
import { Link, pathTo } from "../../app/router.tsx"
import { useView } from "../../live/view.ts"
import { useCollection } from "../../live/watch.ts"
import { Age } from "../../ui/age.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Card, Facts } from "../../ui/card.tsx"
import { CopyText } from "../../ui/copy-text.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import { type Chosen, PlanActions } from "./plan-actions.tsx"
import { PlanDecision } from "./plan-decision.tsx"
import { PlanOvertaken } from "./plan-overtaken.tsx"
import { PlanPages } from "./plan-pages.ts"
import {
  askedText,
  isWaiting,
  mayInPart,
  needsText,
  type PlanStanding,
  phaseText,
  phaseTone,
} from "./plan-view.ts"
import { Left } from "./plans-page.tsx"

export function PlanPage({ params }: PageProps) {
  const name = params.name ?? ""
  const path = `/setpoint/v1/plans/${encodeURIComponent(name)}/standing`
  const { view, refresh } = useView<PlanStanding>(path)
  const { data, fault } = view.value
  return (
    <>
      <h1>Plan {visible(name)}</h1>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {data === undefined ? (
        fault === undefined && <Empty title="Asking ..." />
      ) : (
        <Plan key={name} plan={data} refresh={refresh} />
      )}
    </>
  )
}

interface PlanProps {
  readonly plan: PlanStanding
  refresh(): Promise<void>
}

function Plan({ plan, refresh }: PlanProps) {
  const pages = useMemo(() => new PlanPages(plan.name), [plan.name])
  const chosen = useSignal<Chosen>(new Map())
  // What was on the screen when it was opened: decisions are on that, and the rest is news.
  const opened = useSignal(plan.phase)
  useFollowed(plan, refresh)
  useEffect(() => pages.refresh(), [plan.phase, plan.done])
  const receipts = useMemo(
    () => new Map(plan.receipts.map((one) => [one.digest, one])),
    [plan.receipts],
  )
  const choosing = isWaiting(plan.phase) && plan.actionCount > 1 && mayInPart(plan.approve)
  return (
    <>
      <PlanOvertaken plan={plan} whileOpen={isWaiting(opened.value)} />
      <PlanHead plan={plan} />
      <PlanDecision plan={plan} chosen={chosen} refresh={refresh} />
      <Card title="Actions" aside={<span class="count">{plan.actionCount}</span>}>
        <PlanActions {...{ pages, receipts, chosen, choosing }} count={plan.actionCount} />
      </Card>
    </>
  )
}

/** The plan's own object is watched: what happens to it is known here as soon as it is stored. */
function useFollowed({ loop, name }: PlanStanding, refresh: () => Promise<void>): void {
  const namespace = loop.slice(0, loop.indexOf("."))
  const collection = useCollection(
    `/apis/setpoint.dev/v1alpha1/namespaces/${encodeURIComponent(namespace)}/plans`,
    { query: `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}` },
  )
  const version = collection.version.value
  useEffect(() => {
    if (version > 0) void refresh()
  }, [version])
}

function PlanHead({ plan }: { readonly plan: PlanStanding }) {
  const { loop, createdAt, expiresAt, note, hash } = plan
  const waits = isWaiting(plan.phase)
  const facts = [
    {
      name: "State",
      value: <Badge tone={phaseTone(plan.phase)}>{phaseText(plan)}</Badge>,
    },
    { name: "Loop", value: <Link to={pathTo("/loops/:loop", { loop })}>{visible(loop)}</Link> },
    { name: "Asks for", value: <strong>{plan.summary}</strong> },
    { name: "Asked by", value: <span title={plan.revisions[0]}>{visible(askedText(plan))}</span> },
    {
      name: "Made",
      value: (
        <>
          <Age time={createdAt} /> ago
        </>
      ),
    },
    ...(waits ? [{ name: "Expires", value: <Left until={expiresAt} /> }] : []),
    ...(waits ? [{ name: "Needs", value: visible(needsText(plan)) }] : []),
    ...plan.approvals.map(({ principal, at, actions }, index) => ({
      name: index === 0 ? "Approved by" : `and by (${index + 1})`,
      value: (
        <>
          {visible(principal)}, <Age time={at} /> ago
          {actions < plan.actionCount ? ` (${actions} of ${plan.actionCount} actions)` : ""}
        </>
      ),
    })),
    ...(note === undefined ? [] : [{ name: "Note", value: visible(note) }]),
    { name: "Hash", value: <CopyText text={hash} label="the plan's hash" id="plan-hash" /> },
  ]
  return (
    <div class="plan-head">
      <Card title="The plan">
        <Facts facts={facts} />
      </Card>
      <Card title="Why it is held">
        <Reasons plan={plan} />
      </Card>
    </div>
  )
}

function Reasons({ plan }: { readonly plan: PlanStanding }) {
  if (plan.reasons.length === 0) return <Empty title="The guards gave no reason." />
  return (
    <ul class="reasons">
      {plan.reasons.map(({ code = "", guard, message, hint }) => (
        <li key={message}>
          <code title={guard === undefined ? undefined : `guard ${guard}`}>{code}</code>{" "}
          {visible(message)}
          {hint === undefined ? null : <p class="muted">{visible(hint)}</p>}
        </li>
      ))}
    </ul>
  )
}
