// The Kubernetes events of the object, the newest first.

import { useView } from "../../live/view.ts"
import { Age } from "../../ui/age.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"
import type { ObjectView } from "./object-view.ts"

interface EventView {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: EventView): string =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ""

const columns: readonly Column<EventView>[] = [
  {
    ...{ id: "time", title: "Last", width: "6rem" },
    cell: (event) => <Age time={timeOf(event)} />,
    sort: (event) => -Date.parse(timeOf(event)),
  },
  {
    ...{ id: "type", title: "Type", width: "8rem" },
    cell: ({ type = "" }) => (
      <Badge tone={type === "Warning" ? "warn" : "calm"}>{visible(type)}</Badge>
    ),
  },
  { id: "reason", title: "Reason", width: "14rem", cell: ({ reason = "" }) => visible(reason) },
  {
    ...{ id: "message", title: "Message" },
    cell: ({ message = "" }) => <span title={visible(message)}>{visible(message)}</span>,
  },
  {
    ...{ id: "count", title: "Times", width: "5rem", align: "right" },
    cell: ({ count }) => count ?? 1,
  },
]

export function EventsTab({ view }: { readonly view: ObjectView }) {
  const place = view.namespace === "" ? "default" : view.namespace
  const selector = `involvedObject.uid=${view.uid}`
  const query = new URLSearchParams({ fieldSelector: selector, limit: "200" })
  const path = `/api/v1/namespaces/${encodeURIComponent(place)}/events?${query}`
  const { data, fault } = useView<{ items: readonly EventView[] }>(path).view.value
  return (
    <>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {data === undefined ? null : (
        <Table
          label="Events"
          columns={columns}
          rows={data.items}
          sortBy="time"
          keyOf={({ metadata }) => metadata.name}
          empty={<Empty title="No events in the last hours." />}
        />
      )}
    </>
  )
}
