// Everything that is stopped, and the calls that were in flight when it was.

import { stops } from "../../live/status.ts"
import { useView } from "../../live/view.ts"
import { Button } from "../../ui/button.tsx"
import { Card } from "../../ui/card.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { StopLine, stopKey } from "./stop-banner.tsx"
import { openStop } from "./stop-dialog.tsx"

interface Call {
  readonly object: string
  readonly call: string
  readonly outcome: string
}

const columns: readonly Column<Call>[] = [
  { id: "object", title: "Object", cell: ({ object }) => <code>{object}</code>, width: "50%" },
  { id: "call", title: "Call", cell: ({ call }) => call },
  { id: "outcome", title: "Outcome", cell: ({ outcome }) => outcome },
]

export function StopPage() {
  const { view } = useView<{ calls: readonly Call[] }>("/setpoint/v1/in-flight", { always: true })
  const { data, fault } = view.value
  return (
    <>
      <h1>Stop</h1>
      <Card
        title="What is stopped"
        aside={
          <Button tone="danger" onClick={() => openStop()}>
            Stop ...
          </Button>
        }
      >
        {stops.value.length === 0 ? (
          <Empty title="Nothing is stopped.">
            <p>From a terminal it works also when this page does not:</p>
            <CopyCommand command="setpoint stop --reason WHY" />
          </Empty>
        ) : (
          stops.value.map((stop) => <StopLine key={stopKey(stop)} stop={stop} />)
        )}
      </Card>
      <Card title="In flight when it was stopped">
        {fault === undefined ? null : <ErrorBox fault={fault} />}
        <Table
          label="Calls in flight at the stop"
          columns={columns}
          rows={data?.calls ?? []}
          keyOf={({ object, call }) => `${object} ${call}`}
          empty={<Empty title="No call was under way." />}
        />
      </Card>
    </>
  )
}
