// All plans: what waits for a person on top, then what was decided.

import { Link, navigate, pathTo } from "../../app/router.tsx"
import { now } from "../../live/clock.ts"
import { useView } from "../../live/view.ts"
import { Age, ageText } from "../../ui/age.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Card } from "../../ui/card.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"
import {
  askedText,
  inOrder,
  isWaiting,
  type PlanSummary,
  phaseText,
  phaseTone,
} from "./plan-view.ts"

export const planPath = (name: string): string => pathTo("/plans/:name", { name })

const open: readonly Column<PlanSummary>[] = [
  {
    id: "name",
    title: "Plan",
    cell: ({ name }) => <Link to={planPath(name)}>{visible(name)}</Link>,
    width: "9.5rem",
  },
  {
    id: "loop",
    title: "Loop",
    cell: ({ loop }) => <span title={visible(loop)}>{visible(loop)}</span>,
    sort: ({ loop }) => loop,
    width: "11%",
  },
  {
    id: "phase",
    title: "Phase",
    cell: (plan) => <Badge tone={phaseTone(plan.phase)}>{phaseText(plan)}</Badge>,
    width: "9.5rem",
  },
  {
    id: "actions",
    title: "Actions",
    cell: ({ summary }) => <span title={summary}>{summary}</span>,
    width: "6.5rem",
  },
  {
    id: "asked",
    title: "Asked by",
    cell: (plan) => <span title={visible(askedText(plan))}>{visible(askedText(plan))}</span>,
    width: "9rem",
  },
]

const waitingColumns: readonly Column<PlanSummary>[] = [
  ...open,
  {
    id: "why",
    title: "Why it is held",
    cell: ({ reasons }) => {
      const text = visible(reasons[0]?.message ?? "")
      return <span title={text}>{text}</span>
    },
  },
  {
    id: "age",
    title: "Age",
    cell: ({ createdAt }) => <Age time={createdAt} />,
    sort: ({ createdAt }) => createdAt,
    width: "4rem",
  },
  {
    id: "expires",
    title: "Expires",
    cell: ({ expiresAt }) => <Left until={expiresAt} />,
    width: "5rem",
  },
]

const decidedColumns: readonly Column<PlanSummary>[] = [
  ...open,
  {
    id: "note",
    title: "What came of it",
    cell: ({ note = "" }) => <span title={visible(note)}>{visible(note)}</span>,
  },
  {
    id: "age",
    title: "Age",
    cell: ({ createdAt }) => <Age time={createdAt} />,
    sort: ({ createdAt }) => createdAt,
    width: "4rem",
  },
]

/** "in 6d"; nothing where it never ends. */
export function Left({ until }: { readonly until: string | undefined }) {
  const at = Date.parse(until ?? "")
  if (Number.isNaN(at)) return <span class="muted">never</span>
  const left = at - now.value
  return (
    <time dateTime={until} title={until}>
      {left <= 0 ? "now" : `in ${ageText(left)}`}
    </time>
  )
}

export function PlansPage() {
  const { view } = useView<{ plans: readonly PlanSummary[] }>("/setpoint/v1/plans")
  const { data, fault } = view.value
  const plans = inOrder(data?.plans ?? [])
  const waiting = plans.filter(({ phase }) => isWaiting(phase))
  const others = plans.filter(({ phase }) => !isWaiting(phase))
  const show = ({ name }: PlanSummary) => navigate(planPath(name))
  return (
    <>
      <h1>Plans</h1>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      <Card title="Waiting for a person" aside={<span class="count">{waiting.length}</span>}>
        <Table
          label="Plans that wait for a person"
          minWidth="58rem"
          columns={waitingColumns}
          rows={waiting}
          keyOf={({ name }) => name}
          onOpen={show}
          empty={
            <Empty title={data === undefined ? "Asking ..." : "Nothing waits for a person."}>
              Actions over a loop's limits, and all actions of a loop in mode Propose, wait here.
            </Empty>
          }
        />
      </Card>
      <Card title="Decided" aside={<span class="count">{others.length}</span>}>
        <Table
          label="Plans that were decided or overtaken"
          minWidth="58rem"
          columns={decidedColumns}
          rows={others}
          keyOf={({ name }) => name}
          onOpen={show}
          empty={<Empty title="No plan was decided yet." />}
        />
      </Card>
    </>
  )
}
