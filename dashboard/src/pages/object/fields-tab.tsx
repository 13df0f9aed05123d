// Every field with its three sides next to each other: declared, last applied, observed; how they
// were judged and who set it. Long texts that differ are shown line by line.

import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { Empty } from "../../ui/empty.tsx"
import { visible } from "../../ui/visible.ts"
import { whoText } from "../../ui/who.ts"
import { LineDiff } from "./line-diff-view.tsx"
import type { FieldRow, Judgement, ObjectView } from "./object-view.ts"
import { ValueCell } from "./value-cell.tsx"

interface Judged {
  readonly tone: Tone
  readonly word: string
  readonly text: string
}

const judgements: Readonly<Record<Judgement, Judged>> = {
  same: { tone: "good", word: "Same", text: "as declared" },
  requested: { tone: "busy", word: "Requested", text: "declared and not done yet" },
  drift: { tone: "warn", word: "Drift", text: "somebody changed it there" },
  conflict: { tone: "bad", word: "Conflict", text: "changed there and here" },
  adopt: { tone: "warn", word: "Adopt", text: "it was there before and is not ours" },
  own: { tone: "calm", word: "Its own", text: "the target has it by itself; nobody declares it" },
}

export const differs = ({ why }: FieldRow): boolean => why !== "same" && why !== "own"

export function FieldsTab({ view }: { readonly view: ObjectView }) {
  const only = useSignal(false)
  const { rows } = view
  const differing = rows.filter(differs)
  const rest = rows.filter((row) => !differs(row))
  const shown = only.value ? differing : [...differing, ...rest]
  if (view.composite === true) return <CompositeFields view={view} />
  return (
    <>
      <div class="tab-head">
        <p class="muted">{observationText(view, differing.length)}</p>
        <label class="choice">
          <input
            type="checkbox"
            checked={only.value}
            onChange={(event) => {
              only.value = event.currentTarget.checked
            }}
          />
          Only what differs
        </label>
      </div>
      {shown.length === 0 ? (
        <Empty title={only.value ? "Nothing differs." : "It has no fields."} />
      ) : (
        <Fields rows={shown} />
      )}
      {view.rowsCut ? <p class="muted">There are more fields than are shown here.</p> : null}
    </>
  )
}

function observationText({ observation, missing }: ObjectView, differing: number): string {
  if (missing.length > 0) return "Not compared: it waits for a value of another object."
  if (observation?.kind === "unknown") {
    return `Its target can't be seen: ${visible(observation.cause ?? "")}`
  }
  if (observation?.kind === "absent") return "Its target is not there."
  if (differing === 0) return "Every field that is declared is so."
  return differing === 1 ? "1 field differs." : `${differing} fields differ.`
}

/** A composite has children and no target: only what is declared can be shown. */
function CompositeFields({ view }: { readonly view: ObjectView }) {
  return (
    <>
      <p class="muted">It has no target of its own: what it declares is made of its children.</p>
      <FieldsBox>
        <table class="fields">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Declared</th>
            </tr>
          </thead>
          <tbody>
            {view.rows.map((row) => (
              <tr key={row.path}>
                <th scope="row">
                  <FieldName row={row} />
                </th>
                <td>
                  <ValueCell value={row.declared} name={`${row.path}, declared`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </FieldsBox>
    </>
  )
}

function Fields({ rows }: { readonly rows: readonly FieldRow[] }) {
  return (
    <FieldsBox>
      <table class="fields">
        <thead>
          <tr>
            <th scope="col" class="fields-name">
              Field
            </th>
            <th scope="col">Declared</th>
            <th scope="col">Last applied</th>
            <th scope="col">Observed</th>
            <th scope="col" class="fields-why">
              Judged
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Field key={row.path} row={row} />
          ))}
        </tbody>
      </table>
    </FieldsBox>
  )
}

/** On a small screen it scrolls sideways, by keys too. */
function FieldsBox({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys
    <section class="table-box" aria-label="Fields" tabIndex={0}>
      {children}
    </section>
  )
}

function Field({ row }: { readonly row: FieldRow }) {
  const { path, why, declared, applied, observed } = row
  const judged = judgements[why]
  const isDiff = differs(row)
  return (
    <>
      <tr class={isDiff ? `field-${judged.tone}` : undefined} data-field={path}>
        <th scope="row">
          <FieldName row={row} />
        </th>
        <td>
          <ValueCell value={declared} name={`${path}, declared`} />
        </td>
        <td>
          <ValueCell value={applied} name={`${path}, last applied`} />
        </td>
        <td>
          <ValueCell value={observed} name={`${path}, observed`} />
        </td>
        <td>
          <Badge tone={judged.tone} title={judged.text}>
            {judged.word}
          </Badge>
        </td>
      </tr>
      {isDiff && isLong(declared, observed) ? (
        <tr class="field-diff">
          <td colSpan={5}>
            <LineDiff
              path={path}
              before={String(observed)}
              after={String(declared)}
              names={["observed", "declared"]}
            />
          </td>
        </tr>
      ) : null}
    </>
  )
}

const isLong = (one: unknown, other: unknown): boolean =>
  typeof one === "string" && typeof other === "string" && (one + other).includes("\n")

function FieldName({ row: { path, managers = [], from } }: { readonly row: FieldRow }) {
  const by = managers.map(whoText).join(", ")
  return (
    <>
      <code>{visible(path)}</code>
      {from === undefined ? null : <span class="field-note">{`from ${visible(from)}`}</span>}
      {by === "" ? null : <span class="field-note">{`set by ${visible(by)}`}</span>}
    </>
  )
}
