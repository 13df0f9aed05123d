// The exact difference of fields: before and after, and of longer texts only the lines that differ
// with a few around them. What is long is cut, and shown whole when asked for.

import { useSignal } from "@preact/signals"
import { Button } from "../../ui/button.tsx"
import { valueText } from "../../ui/diff-lines.tsx"
import { visible } from "../../ui/visible.ts"
import { type DiffLine, lineDiff } from "../object/line-diff.ts"

export interface ChangedField {
  readonly path: string
  /** Undefined: it was, or will be, not there. */
  readonly before?: unknown
  readonly after?: unknown
  readonly note?: string
}

export function FieldChanges({ fields }: { readonly fields: readonly ChangedField[] }) {
  return (
    <div class="diff">
      {fields.map((field) => (
        <Field key={field.path} {...field} />
      ))}
    </div>
  )
}

const shownMax = 120

const marks = { same: " ", gone: "-", new: "+", skip: "" } as const

function Field({ path, before, after, note }: ChangedField) {
  const all = useSignal(false)
  const lines = linesOf(before, after)
  const shown = all.value ? lines : lines.slice(0, shownMax)
  return (
    <div class="diff-field">
      <div class="diff-path">
        <code>{visible(path)}</code>
        {note === undefined ? null : <span class="muted"> {note}</span>}
      </div>
      <div class="diff-lines">
        {shown.map((line, at) => (
          <Line key={at} line={line} />
        ))}
      </div>
      {lines.length > shown.length ? (
        <Button
          tone="quiet"
          onClick={() => {
            all.value = true
          }}
        >
          {`Show all ${lines.length} lines of ${visible(path)}`}
        </Button>
      ) : null}
    </div>
  )
}

function Line({ line }: { readonly line: DiffLine }) {
  const { kind, text } = line
  if (kind === "skip") return <span class="diff-line muted">{`${text} equal lines`}</span>
  if (kind === "same") {
    return (
      <span class="diff-line muted" data-mark=" ">
        {visible(text)}
      </span>
    )
  }
  const Tag = kind === "gone" ? "del" : "ins"
  return (
    <Tag class={`diff-line diff-${Tag}`} data-mark={marks[kind]}>
      <span class="sr-only">{kind === "gone" ? "was " : "becomes "}</span>
      {visible(text)}
    </Tag>
  )
}

/** What went, what came, what stayed; exported for its test. */
export function linesOf(before: unknown, after: unknown): readonly DiffLine[] {
  if (before !== undefined && after !== undefined) {
    return lineDiff(valueText(before), valueText(after)).filter(isNoEnd)
  }
  const [kind, value] =
    before === undefined ? (["new", after] as const) : (["gone", before] as const)
  if (value === undefined) return []
  const lines = valueText(value).split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines.map((text) => ({ kind, text }))
}

/** The end of a text that ends with a line break is no line. */
const isNoEnd = ({ kind, text }: DiffLine, at: number, all: readonly DiffLine[]): boolean =>
  !(kind === "same" && text === "" && at === all.length - 1)
