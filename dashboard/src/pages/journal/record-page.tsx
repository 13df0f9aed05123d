// One record of a journal, whole: every field, what would have changed or did, and what the guards
// judged by.

import type { PageProps } from "../../app/pages.ts"
import { Link, pathTo } from "../../app/router.tsx"
import { useView } from "../../live/view.ts"
import { Badge } from "../../ui/badge.tsx"
import { Card, Facts } from "../../ui/card.tsx"
import { CopyText } from "../../ui/copy-text.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { RawText } from "../../ui/raw-text.tsx"
import { visible } from "../../ui/visible.ts"
import { whoText } from "../../ui/who.ts"
import { FieldChanges } from "../plans/field-changes.tsx"
import { planPath } from "../plans/plans-page.tsx"
import { recordPath } from "./journal-page.tsx"
import type { JournalRecord } from "./journal-view.ts"
import { RoundInputs, type RoundInputsView, type RoundVerdict } from "./round-inputs.tsx"

export function RecordPage({ params }: PageProps) {
  const { loop = "", sequence = "" } = params
  const path = `/setpoint/v1/journal/${encodeURIComponent(loop)}/${encodeURIComponent(sequence)}`
  const { view } = useView<JournalRecord>(path, { everyMs: 60_000 })
  const { data, fault } = view.value
  const number = Number(sequence) || 0
  return (
    <>
      <h1>
        Record {visible(sequence)} of {visible(loop)}
      </h1>
      <nav class="steps" aria-label="Records beside this one">
        {number > 1 ? <Link to={recordPath({ loop, sequence: number - 1 })}>Older</Link> : null}
        <Link to={recordPath({ loop, sequence: number + 1 })}>Newer</Link>
        <Link to={`/journal?loop=${encodeURIComponent(loop)}`}>All of this journal</Link>
      </nav>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {data === undefined ? (
        fault === undefined && <Empty title="Asking ..." />
      ) : (
        <Record record={data} />
      )}
    </>
  )
}

function Record({ record }: { readonly record: JournalRecord }) {
  const { entry, brief } = record
  const { object, plan, revision, cause, detail } = brief
  const link = object === undefined ? undefined : pathTo("/objects/*key", { key: object })
  const tone = brief.tone === "plain" ? "calm" : brief.tone
  const facts = [
    { name: "What", value: <strong>{visible(brief.title)}</strong> },
    { name: "Type", value: <Badge tone={tone}>{entry.event.type}</Badge> },
    { name: "Time", value: <time dateTime={entry.time}>{entry.time}</time> },
    { name: "By", value: visible(whoText(entry.principal)) },
    ...(object === undefined || link === undefined
      ? []
      : [{ name: "Object", value: <Link to={link}>{visible(object)}</Link> }]),
    ...(plan === undefined
      ? []
      : [{ name: "Plan", value: <Link to={planPath(plan)}>{visible(plan)}</Link> }]),
    ...(cause === undefined ? [] : [{ name: "Cause", value: cause }]),
    ...(detail === undefined ? [] : [{ name: "Why", value: visible(detail) }]),
    ...(revision === undefined
      ? []
      : [{ name: "Revision", value: <code>{visible(revision)}</code> }]),
    { name: "Hash", value: <CopyText text={entry.hash} label="the record's hash" /> },
    { name: "Hash before", value: <code class="hash">{entry.previous || "none"}</code> },
  ]
  const { event } = entry
  return (
    <>
      <Card title="The record">
        <Facts facts={facts} />
      </Card>
      <ActionCards event={event} />
      {event.type === "round" ? (
        <RoundInputs
          inputs={event.inputs as RoundInputsView}
          verdicts={event.verdicts as readonly RoundVerdict[]}
        />
      ) : null}
      <Card title="As it was written">
        <RawText label="The whole event" text={JSON.stringify(event, undefined, 2)} />
      </Card>
    </>
  )
}

interface ActionFields {
  readonly verb: string
  readonly kind: string
  readonly object: string
  readonly target: string
  readonly changes: readonly {
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
    readonly why: string
  }[]
}

const actionsMax = 50

/** Fields before and after, of what was done or is about to be. */
function ActionCards({ event }: { readonly event: JournalRecord["entry"]["event"] }) {
  const one = event.action as ActionFields | undefined
  const many = event.type === "round" ? [] : ((event.actions as ActionFields[] | undefined) ?? [])
  const actions = one === undefined ? many : [one]
  const changed = actions.filter(({ changes }) => changes.length > 0)
  if (changed.length === 0) return null
  return (
    <Card title="Fields">
      {changed.slice(0, actionsMax).map(({ verb, kind, object, target, changes }) => (
        <section key={`${verb} ${object}`} aria-label={`${verb} ${visible(object)}`}>
          <h3>
            {verb} {visible(kind)} <code>{visible(target)}</code>
          </h3>
          <FieldChanges fields={changes.map(({ why, ...field }) => ({ ...field, note: why }))} />
        </section>
      ))}
      {changed.length > actionsMax ? <p>{`and ${changed.length - actionsMax} more`}</p> : null}
    </Card>
  )
}
