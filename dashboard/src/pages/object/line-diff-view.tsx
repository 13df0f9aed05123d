// Two texts, line by line.

import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { visible } from "../../ui/visible.ts"
import { type DiffLine, lineDiff } from "./line-diff.ts"

export interface LineDiffProps {
  readonly path: string
  readonly before: string
  readonly after: string
  /** What the lines that went and those that came are called. */
  readonly names: readonly [string, string]
}

const shownMax = 60
const marks = { same: " ", gone: "-", new: "+", skip: "" } as const

export function LineDiff({ path, before, after, names }: LineDiffProps) {
  const whole = useSignal(false)
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  const shown = whole.value ? lines : lines.slice(0, shownMax)
  return (
    <figure class="line-diff">
      <figcaption class="muted">{`${path}: - ${names[0]}, + ${names[1]}`}</figcaption>
      <div class="line-diff-lines">
        {shown.map((line, at) => (
          <Line key={at} line={line} names={names} />
        ))}
      </div>
      {lines.length > shown.length ? (
        <button type="button" class="show-more" onClick={() => (whole.value = true)}>
          {`All ${lines.length} lines`}
        </button>
      ) : null}
    </figure>
  )
}

interface LineProps {
  readonly line: DiffLine
  readonly names: readonly [string, string]
}

function Line({ line: { kind, text }, names }: LineProps) {
  if (kind === "skip") {
    return <span class="diff-line muted">{`${text} lines are the same`}</span>
  }
  const Tag = kind === "gone" ? "del" : kind === "new" ? "ins" : "span"
  const tone = kind === "gone" ? "diff-del" : kind === "new" ? "diff-ins" : ""
  return (
    <Tag class={`diff-line ${tone}`} data-mark={marks[kind]}>
      {kind === "same" ? null : (
        <span class="sr-only">{`${kind === "gone" ? names[0] : names[1]}: `}</span>
      )}
      {visible(text)}
    </Tag>
  )
}
