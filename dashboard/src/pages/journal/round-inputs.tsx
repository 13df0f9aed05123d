// What the guards were told of a round, and what they said to each action: enough to understand a
// verdict, and to judge again with other limits.

import { Link, pathTo } from "../../app/router.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { Card, Facts } from "../../ui/card.tsx"
import { RawText } from "../../ui/raw-text.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"

export interface RoundInputsView {
  readonly set: string
  readonly spec: Readonly<Record<string, unknown>>
  readonly inventory: number
  readonly baseline: number
  readonly deletesUsed: number
  readonly changesUsed: number
  readonly restored: boolean
  readonly facts?: Readonly<Record<string, unknown>>
  readonly actions: readonly RoundAction[]
  readonly counts: { readonly actions: number }
}

interface RoundAction {
  readonly uid: string
  readonly digest?: string
  readonly object: string
  readonly kind: string
  readonly verb: string
  readonly destroys: number
  readonly approved: boolean
  readonly fresh: boolean
}

export interface RoundVerdict {
  readonly digest?: string
  readonly kind: string
  readonly codes: readonly string[]
}

interface Judged extends RoundAction {
  readonly verdict: RoundVerdict | undefined
}

const tones: Readonly<Record<string, Tone>> = {
  ...{ allow: "good", wait: "busy", hold: "warn", deny: "bad" },
}

const columns: readonly Column<Judged>[] = [
  { id: "verb", title: "Verb", cell: ({ verb }) => verb, width: "6rem" },
  {
    id: "object",
    title: "Object",
    cell: ({ object }) => (
      <Link to={pathTo("/objects/*key", { key: object })}>{visible(object)}</Link>
    ),
  },
  {
    id: "verdict",
    title: "Verdict",
    cell: ({ verdict }) =>
      verdict === undefined ? (
        ""
      ) : (
        <Badge tone={tones[verdict.kind] ?? "calm"}>{verdict.kind}</Badge>
      ),
    width: "7rem",
  },
  {
    id: "codes",
    title: "Because of",
    cell: ({ verdict }) => visible(verdict?.codes.join(", ") ?? ""),
  },
  {
    id: "facts",
    title: "Told",
    cell: ({ fresh, approved, destroys }) =>
      [
        fresh ? "fresh" : "not fresh",
        approved ? "approved" : "",
        destroys > 0 ? `destroys ${destroys}` : "",
      ]
        .filter((one) => one !== "")
        .join(", "),
    width: "14rem",
  },
]

export interface RoundInputsProps {
  readonly inputs: RoundInputsView
  readonly verdicts: readonly RoundVerdict[]
}

export function RoundInputs({ inputs, verdicts }: RoundInputsProps) {
  const byDigest = new Map(verdicts.map((one) => [one.digest ?? "", one]))
  const rows = inputs.actions.map((action) => ({
    ...action,
    verdict: byDigest.get(action.digest ?? "") ?? byDigest.get(""),
  }))
  const left = inputs.counts.actions - rows.length
  return (
    <>
      <Card title="What the guards judged by">
        <Facts
          facts={[
            { name: "Set", value: inputs.set === "deletes" ? "a set of deletes" : "a round" },
            { name: "Inventory", value: `${inputs.inventory} targets` },
            { name: "Baseline", value: `${inputs.baseline} targets` },
            { name: "Deletes in the window", value: inputs.deletesUsed },
            { name: "Changes in the window", value: inputs.changesUsed },
            { name: "Restored from a backup", value: inputs.restored ? "yes" : "no" },
          ]}
        />
        <details>
          <summary>The loop's spec in force, and everything else they were told</summary>
          <RawText
            label="What guards were told"
            text={JSON.stringify({ spec: inputs.spec, facts: inputs.facts }, undefined, 2)}
          />
        </details>
      </Card>
      <Card title="What they said" aside={<span class="count">{inputs.counts.actions}</span>}>
        <Table
          label="Actions and verdicts"
          columns={columns}
          rows={rows}
          keyOf={({ uid, verb }) => `${uid} ${verb}`}
        />
        {left > 0 ? <p class="muted">{`${left} more were counted and not written`}</p> : null}
      </Card>
    </>
  )
}
