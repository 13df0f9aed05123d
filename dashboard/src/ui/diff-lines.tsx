// Two values of one field, as lines that went and lines that came. Values are shown as text, with
// what a reader could not see made visible.

import { visible } from "./visible.ts"

export interface FieldDiff {
  readonly path: string
  /** Undefined: it was, or will be, not there. */
  readonly before: unknown
  readonly after: unknown
  readonly note?: string
}

export function DiffLines({ fields }: { readonly fields: readonly FieldDiff[] }) {
  return (
    <div class="diff">
      {fields.map(({ path, before, after, note }) => (
        <div class="diff-field" key={path}>
          <div class="diff-path">
            <code>{path}</code>
            {note === undefined ? null : <span class="muted"> {note}</span>}
          </div>
          <Lines value={before} mark="-" />
          <Lines value={after} mark="+" />
        </div>
      ))}
    </div>
  )
}

const linesMax = 200

function Lines({ value, mark }: { readonly value: unknown; readonly mark: "-" | "+" }) {
  if (value === undefined) return null
  const lines = valueText(value).split("\n")
  const kind = mark === "-" ? "del" : "ins"
  const Tag = kind
  return (
    <Tag class={`diff-lines diff-${kind}`}>
      <span class="sr-only">{mark === "-" ? "was" : "becomes"}</span>
      {lines.slice(0, linesMax).map((line, at) => (
        <span class="diff-line" data-mark={mark} key={at}>
          {visible(line)}
        </span>
      ))}
      {lines.length > linesMax ? (
        <span class="diff-line muted">{`and ${lines.length - linesMax} more lines`}</span>
      ) : null}
    </Tag>
  )
}

export function valueText(value: unknown): string {
  if (typeof value === "string") return value
  return JSON.stringify(value, undefined, 2) ?? String(value)
}
