// Where a loop's manifests come from, which revision counts, and what is wrong with them, by file
// and line.

import { useNumbers } from "../../live/series.ts"
import type { LoopView, SourceView } from "../../live/status.ts"
import { ageText } from "../../ui/age.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { Card, Facts } from "../../ui/card.tsx"
import { Prose } from "../../ui/prose.tsx"
import { visible } from "../../ui/visible.ts"
import { shortRevision } from "../overview/loop-columns.tsx"
import { counted } from "../overview/loop-health.ts"

const tones: Readonly<Record<string, Tone>> = {
  good: "good",
  reading: "busy",
  invalid: "bad",
  unreadable: "bad",
}

export function SourceCard({ loop }: { readonly loop: LoopView }) {
  const { source, sourceDescription = "" } = loop
  const seconds = useNumbers().value.loops.get(loop.id)?.sourceSeconds
  if (source === undefined) {
    return (
      <Card title="Source">
        <p class="muted">None: objects come by the API.</p>
      </Card>
    )
  }
  const { state, issues = [], hint, kept } = source
  return (
    <Card title="Source" aside={<Badge tone={tones[state] ?? "warn"}>{state}</Badge>}>
      <Facts
        facts={[
          { name: "From", value: visible(sourceDescription) },
          ...revisionFacts(source),
          ...(seconds === undefined
            ? []
            : [{ name: "Last read well", value: `${ageText(seconds * 1000)} ago` }]),
          ...(kept === undefined
            ? []
            : [
                {
                  name: "Kept all the same",
                  value: `${counted(kept.objects, "object")}: ${kept.why}`,
                },
              ]),
        ]}
      />
      {issues.length === 0 ? null : (
        <>
          <p>The last good revision stays in force. What is wrong:</p>
          <ul class="issues">
            {issues.map((issue) => (
              <li key={issue}>
                <code>{visible(issue)}</code>
              </li>
            ))}
          </ul>
          {hint == null ? null : (
            <p class="muted">
              <Prose text={hint} />
            </p>
          )}
        </>
      )}
    </Card>
  )
}

function revisionFacts({ revision, lastGoodRevision, objects }: SourceView) {
  const shown = revision ?? lastGoodRevision
  if (shown === undefined || shown === null) return []
  const name = revision === undefined ? "Last good revision" : "Revision"
  return [
    { name, value: <code title={shown}>{shortRevision(shown)}</code> },
    ...(objects === undefined ? [] : [{ name: "Declares", value: counted(objects, "object") }]),
  ]
}
