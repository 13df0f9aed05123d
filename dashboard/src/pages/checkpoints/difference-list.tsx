// Differences between two declared states, object by object and field by field.

import { Link, pathTo } from "../../app/router.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { TallList } from "../../ui/tall-list.tsx"
import { visible } from "../../ui/visible.ts"
import { FieldChanges } from "../plans/field-changes.tsx"
import type { ObjectDifference } from "./checkpoint-view.ts"

const tones: Readonly<Record<ObjectDifference["change"], Tone>> = {
  added: "good",
  removed: "bad",
  changed: "busy",
}

export interface DifferenceListProps {
  readonly differences: readonly ObjectDifference[]
  readonly pages: number
  readonly height?: string
}

export function DifferenceList({ differences, pages, height = "50vh" }: DifferenceListProps) {
  return (
    <>
      <TallList
        label={`${differences.length} objects that differ`}
        count={differences.length}
        height={height}
        guess={(index) => 44 + (differences[index]?.fields.length ?? 0) * 64}
        row={(index) => {
          const one = differences[index]
          return one === undefined ? null : <Difference difference={one} />
        }}
      />
      {pages > 1 ? (
        <p class="muted">{`The first ${differences.length} objects are shown.`}</p>
      ) : null}
    </>
  )
}

function Difference({ difference }: { readonly difference: ObjectDifference }) {
  const { object, kind, name, change, fields } = difference
  return (
    <article class="plan-action" aria-label={`${change} ${visible(`${kind} ${name}`)}`}>
      <div class="plan-action-head">
        <Badge tone={tones[change]}>{change}</Badge>
        <Link to={pathTo("/objects/*key", { key: object })}>{visible(`${kind} ${name}`)}</Link>
      </div>
      {change === "changed" ? <FieldChanges fields={fields} /> : null}
    </article>
  )
}
