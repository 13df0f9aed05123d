// Every action of a plan with its exact difference, however many there are: what would be done to
// what, why, from which revision; chosen one by one for an approval in part; and what came of it.

import type { Signal } from "@preact/signals"
import { Link, pathTo } from "../../app/router.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { TallList } from "../../ui/tall-list.tsx"
import { visible } from "../../ui/visible.ts"
import { FieldChanges } from "./field-changes.tsx"
import type { PlanPages } from "./plan-pages.ts"
import { nameOf, type PlanAction, type Receipt } from "./plan-view.ts"

export type Chosen = ReadonlyMap<string, PlanAction>

export interface PlanActionsProps {
  readonly count: number
  readonly pages: PlanPages
  readonly receipts: ReadonlyMap<string, Receipt>
  readonly chosen: Signal<Chosen>
  /** Whether single actions can be chosen for an approval. */
  readonly choosing: boolean
}

export function PlanActions(props: PlanActionsProps) {
  const { count, pages } = props
  void pages.version.value
  const fault = pages.fault.value
  return (
    <>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      <TallList
        label={`All ${count} actions`}
        count={count}
        guess={(index) => heightOf(pages.action(index))}
        onRange={(first, last) => pages.need(first, last)}
        row={(index) => {
          const action = pages.action(index)
          if (action === undefined) return <p class="muted plan-action">Reading ...</p>
          return <Action action={action} {...props} />
        }}
      />
    </>
  )
}

/** Good enough to scroll by until it was seen. */
function heightOf(action: PlanAction | undefined): number {
  const fields = action?.changes ?? []
  const lines = fields.reduce((sum, { before, after }) => sum + linesOf(before) + linesOf(after), 0)
  return 62 + fields.length * 24 + lines * 20
}

const linesOf = (value: unknown): number =>
  value === undefined ? 0 : typeof value === "string" ? value.split("\n").length : 2

const verbTones: Readonly<Record<string, Tone>> = {
  create: "good",
  update: "busy",
  replace: "bad",
  delete: "bad",
  adopt: "calm",
  loosen: "warn",
}

const whys: Readonly<Record<string, string>> = {
  requested: "declared",
  drift: "someone changed it",
  adopt: "exists and is not ours",
  conflict: "changed there and here",
}

interface ActionProps extends Pick<PlanActionsProps, "receipts" | "chosen" | "choosing"> {
  readonly action: PlanAction
}

function Action({ action, receipts, chosen, choosing }: ActionProps) {
  const { verb, kind, object, target, cause, changes = [], digest } = action
  const name = `${kind} ${nameOf(object)}`
  return (
    <article class="plan-action" aria-label={`${verb} ${visible(name)}`}>
      <div class="plan-action-head">
        {choosing ? <Choose action={action} name={name} chosen={chosen} /> : null}
        <Badge tone={verbTones[verb] ?? "calm"}>{verb}</Badge>
        <Link to={pathTo("/objects/*key", { key: object })} class="plan-action-name">
          {visible(name)}
        </Link>
        <code class="plan-target" title={visible(target)}>
          {visible(target)}
        </code>
        <Result action={action} receipt={receipts.get(digest)} />
        <code class="muted digest" title={`digest ${digest}`}>
          {digest.slice(0, 12)}
        </code>
      </div>
      <p class="plan-action-cause muted">
        {visible(cause)}
        {action.sourceRevision === undefined ? null : (
          <>
            {" · revision "}
            <code title={action.sourceRevision}>{action.sourceRevision.slice(0, 12)}</code>
          </>
        )}
        {action.authors === undefined ? null : ` · asked by ${visible(action.authors.join(", "))}`}
      </p>
      {changes.length === 0 ? null : (
        <FieldChanges
          fields={changes.map(({ path, before, after, why }) => ({
            ...{ path, before, after, note: whys[why] ?? why },
          }))}
        />
      )}
    </article>
  )
}

interface ChooseProps {
  readonly action: PlanAction
  readonly name: string
  readonly chosen: Signal<Chosen>
}

function Choose({ action, name, chosen }: ChooseProps) {
  const { digest, verb } = action
  return (
    <input
      type="checkbox"
      aria-label={`Choose ${verb} of ${visible(name)}`}
      checked={chosen.value.has(digest)}
      onChange={(event) => {
        const next = new Map(chosen.value)
        if (event.currentTarget.checked) next.set(digest, action)
        else next.delete(digest)
        chosen.value = next
      }}
    />
  )
}

function Result({ action, receipt }: { action: PlanAction; receipt: Receipt | undefined }) {
  if (receipt !== undefined) {
    const { result, error, durationMs, time } = receipt
    const text = result === "done" ? `done in ${durationMs} ms` : result
    const tone = result === "done" ? "good" : "bad"
    return (
      <Badge tone={tone} title={visible(error ?? time)}>
        {error === undefined ? text : `${text}: ${visible(error).slice(0, 80)}`}
      </Badge>
    )
  }
  if (action.state === "done") return <Badge tone="good">done</Badge>
  if (action.state === "approved") return <Badge tone="busy">going on</Badge>
  return null
}
