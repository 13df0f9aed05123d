// What a loop did last, newest first, from its journal.

import { Link, pathTo } from "../../app/router.tsx"
import { useView } from "../../live/view.ts"
import { Age } from "../../ui/age.tsx"
import { Shape, type Tone } from "../../ui/badge.tsx"
import { Card } from "../../ui/card.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"
import { shortKey } from "../overview/loop-columns.tsx"

interface Brief {
  readonly sequence: number
  readonly time: string
  readonly principal: string
  readonly title: string
  readonly tone: "plain" | "warn" | "bad"
  readonly object?: string
  readonly cause?: string
  readonly detail?: string
}

const tones: Readonly<Record<Brief["tone"], Tone>> = { plain: "calm", warn: "warn", bad: "bad" }
const limit = 30

const columns: readonly Column<Brief>[] = [
  {
    ...{ id: "time", title: "When", width: "6rem" },
    cell: ({ time }) => <Age time={time} />,
  },
  {
    ...{ id: "what", title: "What", width: "36%" },
    cell: ({ title, tone }) => (
      <span title={visible(title)}>
        <Shape tone={tones[tone]} /> {visible(title)}
      </span>
    ),
  },
  {
    ...{ id: "object", title: "Object", width: "22%" },
    cell: ({ object }) =>
      object === undefined ? null : (
        <Link to={pathTo("/objects/*key", { key: object })}>{shortKey(object)}</Link>
      ),
  },
  {
    ...{ id: "why", title: "Why" },
    cell: ({ cause = "", detail = "" }) => (
      <span title={visible(`${cause} ${detail}`)}>
        {visible(cause)} <span class="muted">{visible(detail)}</span>
      </span>
    ),
  },
]

export function ActivityCard({ loop }: { readonly loop: string }) {
  const query = `loop=${encodeURIComponent(loop)}`
  const { view } = useView<{ entries: readonly Brief[] }>(
    `/setpoint/v1/journal?${query}&limit=${limit}`,
  )
  const { data, fault } = view.value
  return (
    <Card title="Recent activity" aside={<Link to={`/journal?${query}`}>All of it</Link>}>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {data === undefined ? null : (
        <Table
          label="Recent activity"
          columns={columns}
          rows={data.entries}
          keyOf={({ sequence }) => String(sequence)}
          height="28rem"
          empty={<Empty title="Nothing happened yet." />}
        />
      )}
    </Card>
  )
}
