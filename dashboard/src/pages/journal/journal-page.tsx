// Searching what happened, in all journals that one may read: the newest first, live until one
// goes back in time. The search stands in the address, so that it can be sent to somebody.

import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Link, navigate, pathTo, place } from "../../app/router.tsx"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import { useView } from "../../live/view.ts"
import { Shape } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Card } from "../../ui/card.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"
import { whoText } from "../../ui/who.ts"
import { AuditCard } from "./audit-card.tsx"
import { JournalFilters } from "./journal-filters.tsx"
import {
  type Filters,
  filtersOf,
  type JournalBrief,
  type JournalPageView,
  recordKey,
  searchPath,
} from "./journal-view.ts"

const pageSize = 100

export const recordPath = ({ loop, sequence }: Pick<JournalBrief, "loop" | "sequence">): string =>
  pathTo("/journal/:loop/:sequence", { loop, sequence: String(sequence) })

const columns: readonly Column<JournalBrief>[] = [
  {
    id: "time",
    title: "Time (UTC)",
    cell: (entry) => (
      <Link to={recordPath(entry)} title={entry.time}>
        <time dateTime={entry.time}>{entry.time.replace("T", " ").slice(5, 19)}</time>
      </Link>
    ),
    width: "8.5rem",
  },
  { id: "loop", title: "Journal", cell: ({ loop }) => visible(loop), width: "8rem" },
  {
    id: "title",
    title: "What",
    cell: ({ title, tone }) => (
      <span class={`journal-${tone}`} title={visible(title)}>
        {tone === "plain" ? null : <Shape tone={tone} />} {visible(title)}
      </span>
    ),
    width: "28%",
  },
  {
    id: "detail",
    title: "Why",
    cell: ({ detail = "" }) => <span title={visible(detail)}>{visible(detail)}</span>,
  },
  {
    id: "by",
    title: "By",
    cell: ({ principal }) => <span title={visible(principal)}>{visible(whoText(principal))}</span>,
    width: "8rem",
  },
  {
    id: "revision",
    title: "Revision",
    cell: ({ revision = "" }) => <code title={revision}>{visible(revision.slice(0, 10))}</code>,
    width: "6.5rem",
  },
]

export function JournalPage() {
  const filters = filtersOf(place.value.query)
  return (
    <>
      <h1>Journal</h1>
      <JournalFilters filters={filters} />
      <Found key={JSON.stringify(filters)} filters={filters} />
      <AuditCard />
    </>
  )
}

/** What was read further back than the live page; from then on the page rests. */
interface Older {
  readonly entries: readonly JournalBrief[]
  readonly next: string | undefined
  readonly scanned: number
}

function Live({ older }: { readonly older: Signal<Older | undefined> }) {
  if (older.value === undefined) return <span class="muted">live</span>
  const back = () => {
    older.value = undefined
  }
  return <Button onClick={back}>Back to live</Button>
}

function Found({ filters }: { readonly filters: Filters }) {
  const { view } = useView<JournalPageView>(searchPath(filters, pageSize))
  const older = useSignal<Older | undefined>(undefined)
  const busy = useSignal(false)
  const fault = useSignal<RequestFault | undefined>(undefined)
  useEffect(() => {
    older.value = undefined
  }, [])
  const { data } = view.value
  const shown = older.value ?? {
    entries: data?.entries ?? [],
    next: data?.next,
    scanned: data?.scanned ?? 0,
  }
  const more = async () => {
    busy.value = true
    try {
      const page = await ask<JournalPageView>(searchPath(filters, pageSize, shown.next))
      const entries = [...shown.entries, ...page.entries]
      older.value = { entries, next: page.next, scanned: shown.scanned + page.scanned }
      fault.value = undefined
    } catch (error) {
      fault.value = toRequestFault(error)
    } finally {
      busy.value = false
    }
  }
  const wrong = fault.value ?? view.value.fault
  return (
    <Card title="Records" aside={<Live older={older} />}>
      {wrong === undefined ? null : <ErrorBox fault={wrong} />}
      <Table
        label="Records of the journals, the newest first"
        minWidth="56rem"
        columns={columns}
        rows={shown.entries}
        keyOf={recordKey}
        onOpen={(entry) => navigate(recordPath(entry))}
        empty={
          <Empty title={data === undefined ? "Searching ..." : "No record is like that."}>
            {shown.next === undefined ? null : `${shown.scanned} records were looked at so far.`}
          </Empty>
        }
      />
      <p class="more">
        <span role="status" class="muted">
          {`${shown.entries.length} found in ${shown.scanned} records`}
          {data?.journalsLeft === undefined
            ? ""
            : `; ${data.journalsLeft} journals were left out: choose one`}
        </span>
        {shown.next === undefined ? null : (
          <Button busy={busy.value} onClick={() => void more()}>
            Search further back
          </Button>
        )}
      </p>
    </Card>
  )
}
