// Every loop with how it stands: health, mode, objects as declared, what waits for a person, drift,
// the oldest that is not as declared, the source and its revision. Worst first.

import { navigate, query, setQuery } from "../../app/router.tsx"
import { useNumbers } from "../../live/series.ts"
import { type LoopView, loops, planeStatus, type StopView, stops } from "../../live/status.ts"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Table } from "../../ui/table.tsx"
import { loopColumns, loopPath } from "./loop-columns.tsx"
import { healthOf } from "./loop-health.ts"
import { Summary } from "./summary.tsx"

export function OverviewPage() {
  const { data: status, fault } = planeStatus().value
  const numbers = useNumbers().value
  const text = query.value.get("filter") ?? ""
  const shown = loops.value.filter((loop) => matches(loop, text, stops.value))
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        <label class="filter">
          <span class="sr-only">Filter loops</span>
          <input
            type="search"
            placeholder="Filter: name, mode or health"
            value={text}
            onInput={(event) => setQuery("filter", event.currentTarget.value)}
          />
        </label>
      </div>
      {status === undefined ? (
        fault === undefined ? null : (
          <ErrorBox fault={fault} />
        )
      ) : (
        <>
          <Summary status={status} numbers={numbers} />
          <Table
            label="Loops"
            columns={loopColumns(stops.value, numbers)}
            rows={shown}
            keyOf={({ id }) => id}
            sortBy="health"
            height="calc(100vh - 14rem)"
            minWidth="62rem"
            onOpen={({ id }) => navigate(loopPath(id))}
            empty={<NoLoops filter={text} />}
          />
        </>
      )}
    </>
  )
}

function NoLoops({ filter }: { readonly filter: string }) {
  if (filter !== "") return <Empty title={`No loop matches "${filter}".`} />
  return (
    <Empty title="No loops that you may see.">
      <p>A loop keeps a folder of manifests true:</p>
      <CopyCommand command="setpoint up FOLDER" />
    </Empty>
  )
}

function matches(loop: LoopView, text: string, standing: readonly StopView[]): boolean {
  const words = text.toLowerCase().split(/\s+/)
  const all = `${loop.id} ${loop.mode} ${healthOf(loop, standing).word}`.toLowerCase()
  return words.every((word) => all.includes(word))
}
