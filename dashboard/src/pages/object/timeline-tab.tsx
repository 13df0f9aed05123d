// What happened to the object, the newest first, with causes; older parts are asked for by hand.

import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { Link, pathTo } from "../../app/router.tsx"
import { Age } from "../../ui/age.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import { whoText } from "../../ui/who.ts"
import { LineDiff } from "./line-diff-view.tsx"
import { shownValue } from "./shown-value.ts"
import { type TimelineItem, timelineItems } from "./timeline-items.ts"
import { useTimeline } from "./timeline-store.ts"

export function TimelineTab({ object }: { readonly object: string }) {
  const store = useTimeline(object)
  const { entries, before, fault } = store.view.value
  const busy = useSignal(false)
  const items = useMemo(() => timelineItems(entries ?? [], object), [entries, object])
  const older = async () => {
    busy.value = true
    await store.older()
    busy.value = false
  }
  return (
    <>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {entries !== undefined && items.length === 0 ? (
        <Empty title="Nothing happened yet, or long ago." />
      ) : (
        <ol class="timeline">
          {items.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ol>
      )}
      {before === undefined ? null : (
        <Button busy={busy.value} onClick={() => void older()}>
          Look for older
        </Button>
      )}
    </>
  )
}

function Item({ item }: { readonly item: TimelineItem }) {
  const { loop, sequence, tone, cause, title, why, by, revision, took, notes, fields } = item
  const facts = [
    ...(by === undefined ? [] : [`by ${whoText(by)}`]),
    ...(revision === undefined ? [] : [`revision ${revision.slice(0, 12)}`]),
    ...(took === undefined ? [] : [`${took} ms`]),
  ]
  return (
    <li data-cause={cause}>
      <span class="timeline-time">
        <Link to={pathTo("/journal/:loop/:sequence", { loop, sequence: String(sequence) })}>
          <Age time={item.time} />
          <span class="sr-only"> ago: the record of it</span>
        </Link>
      </span>
      <div class="timeline-body">
        <p>
          <Badge tone={tone}>{cause}</Badge> <b>{title}</b>
          {why === undefined ? "" : `: ${visible(why)}`}
          <span class="muted">{facts.length === 0 ? "" : ` (${visible(facts.join(", "))})`}</span>
        </p>
        {notes.map((note) => (
          <p key={note} class="timeline-note">
            {visible(note)}
          </p>
        ))}
        <Changes fields={fields} />
      </div>
    </li>
  )
}

const fieldsShown = 12

function Changes({ fields }: { readonly fields: TimelineItem["fields"] }) {
  if (fields.length === 0) return null
  return (
    <ul class="changes">
      {fields.slice(0, fieldsShown).map(({ path, before, after }) => (
        <li key={path}>
          {typeof before === "string" && typeof after === "string" && /\n./.test(before + after) ? (
            <LineDiff path={path} before={before} after={after} names={["was", "became"]} />
          ) : (
            <>
              <code>{visible(path)}</code> <Value value={before} word="was" />
              <span aria-hidden="true"> → </span>
              <Value value={after} word="became" />
            </>
          )}
        </li>
      ))}
      {fields.length > fieldsShown ? (
        <li class="muted">{`and ${fields.length - fieldsShown} more fields`}</li>
      ) : null}
    </ul>
  )
}

function Value({ value, word }: { readonly value: unknown; readonly word: "was" | "became" }) {
  const { text, note } = shownValue(value)
  const [first = "", ...rest] = text.trimEnd().split("\n")
  const line = first.length > 160 ? `${first.slice(0, 160)}…` : first
  const Tag = word === "was" ? "del" : "ins"
  return (
    <>
      <Tag class={note ? "muted change" : `change diff-${word === "was" ? "del" : "ins"}`}>
        <span class="sr-only">{`${word} `}</span>
        {line}
      </Tag>
      {rest.length === 0 ? null : <span class="muted">{` and ${rest.length} more lines`}</span>}
    </>
  )
}
