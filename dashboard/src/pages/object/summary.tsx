// How the object stands, in sentences: what it is, why it is not as declared, what keeps it from
// being put right and what to do; and its conditions with their age.

import { Link, pathTo } from "../../app/router.tsx"
import { Age } from "../../ui/age.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { Card, type Fact, Facts } from "../../ui/card.tsx"
import { visible } from "../../ui/visible.ts"
import { objectPath, partsOf } from "../objects/object-row.ts"
import type { ConditionView, ObjectView } from "./object-view.ts"

export function Summary({ view }: { readonly view: ObjectView }) {
  return (
    <div class="object-cards">
      <Card title="What it is">
        <Facts facts={factsOf(view)} />
      </Card>
      <Card title="How it stands">
        <Why view={view} />
        <Conditions conditions={view.conditions ?? []} />
      </Card>
    </div>
  )
}

function factsOf(view: ObjectView): Fact[] {
  const { loop, mode, target, owned, wave, created, generation } = view
  const facts: (Fact | undefined)[] = [
    {
      name: "Loop",
      value:
        loop === "" ? (
          <span class="muted">none: it is stored and not acted on</span>
        ) : (
          <>
            <Link to={pathTo("/loops/:loop", { loop })}>{visible(loop)}</Link>
            {mode === undefined ? " (gone)" : ` · ${mode}`}
          </>
        ),
    },
    target === undefined
      ? undefined
      : {
          name: "Target",
          value: (
            <>
              <code>{visible(target)}</code>{" "}
              <span class="muted">{owned ? "ours" : "not ours"}</span>
            </>
          ),
        },
    { name: "Declared", value: <Declared view={view} /> },
    wave === undefined ? undefined : { name: "Wave", value: String(wave) },
    { name: "Generation", value: String(generation) },
    created === undefined ? undefined : { name: "Stored for", value: <Age time={created} /> },
  ]
  const outputs = Object.entries(view.outputs ?? {}).map(([name, value]): Fact => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return { name: visible(name), value: <code>{visible(text.slice(0, 300))}</code> }
  })
  return [...facts.filter((fact) => fact !== undefined), ...outputs.slice(0, 8)]
}

function Declared({ view }: { readonly view: ObjectView }) {
  const { undeclared, source, parent, object, relations } = view
  const tie = relations.relations.find(({ kind, to }) => kind === "owns" && to === object)
  if (source === undefined && parent !== undefined) {
    const text = visible(parent)
    return <>by {tie === undefined ? text : <Link to={objectPath(tie.from)}>{text}</Link>}</>
  }
  if (source === undefined) return <>by API</>
  return (
    <>
      {undeclared === undefined ? "" : "no longer; it was at "}
      <code>{visible(source)}</code>
    </>
  )
}

/** Each sentence with what it links to. */
function Why({ view }: { readonly view: ObjectView }) {
  const { held, plan, stopped, breakGlass, claimedBy, missing, rejected, state, mode } = view
  const { diagnosis } = state ?? {}
  const said: unknown[] = []
  const say = (key: string, tone: Tone, text: unknown) => {
    said.push(
      <p key={key} class={`why-line why-${tone}`}>
        {text as string}
      </p>,
    )
  }
  if (view.deleting) say("deleting", "busy", "It is being deleted.")
  if (stopped !== undefined) say("stopped", "warn", visible(stopped))
  if (breakGlass !== undefined) say("glass", "bad", `Break-glass: ${visible(breakGlass)}`)
  if (view.rollback?.text) say("rollback", "warn", `The loop is ${visible(view.rollback.text)}.`)
  if (view.undeclared) say("kept", "warn", `It is kept: ${visible(view.undeclared)}.`)
  if (claimedBy !== undefined) {
    say("claimed", "bad", [
      "Its target belongs to ",
      <Link key="to" to={objectPath(claimedBy)}>
        {visible(partsOf(claimedBy).name)}
      </Link>,
      ".",
    ])
  }
  for (const { kind, name, field } of missing) {
    const what = `${kind} ${name}`
    say(`missing ${what}`, "busy", visible(`It waits for ${field} of ${what}.`))
  }
  for (const { action, reasons } of held) {
    const why = visible(reasons.map(({ message }) => message).join("; "))
    const link =
      plan === undefined ? null : (
        <Link key="plan" to={pathTo("/plans/:name", { name: plan })}>{`plan ${plan}`}</Link>
      )
    say(`held ${action.digest}`, "warn", [`Its ${action.verb} is held in `, link, `: ${why}`])
  }
  for (const { verb, principal } of rejected) {
    say(`rejected ${verb}`, "warn", `Its ${verb} was rejected by ${visible(principal)}.`)
  }
  if (mode === "Observe" && view.changes.length > 0) {
    say("observe", "calm", "Its loop only observes: nothing is put right.")
  }
  // Where a stop, a plan or another object is in the way, that was said, and its way out with it.
  if (stopped === undefined && held.length + missing.length === 0 && state !== undefined) {
    say("state", diagnosis === undefined ? "busy" : "bad", visible(state.message))
    const facts = (diagnosis?.evidence ?? []).filter((fact) => !state.message.includes(fact))
    for (const fact of facts) say(`fact ${fact}`, "calm", visible(fact))
    if (diagnosis?.next !== undefined) say("next", "busy", `Next: ${visible(diagnosis.next)}`)
  }
  if (said.length === 0) say("good", "good", goodText(view))
  return <>{said}</>
}

function goodText({ conditions = [], owned, composite, loop }: ObjectView): string {
  if (loop === "") return "Nothing acts on it."
  const ready = conditions.find(({ type }) => type === "Ready")
  if (composite === true) return visible(ready?.message ?? "It was not looked at yet.")
  if (ready === undefined) return "It was not looked at yet."
  return owned ? "It is as declared." : visible(ready.message)
}

const tones: Readonly<Record<string, Tone>> = {
  Ready: "good",
  Available: "good",
  Reconciling: "busy",
  Progressing: "busy",
  Held: "warn",
  Drifted: "warn",
  Stalled: "bad",
  Degraded: "bad",
}

/** Of kinds of other people nobody knows which are good. */
function toneOf({ type, status, reason }: ConditionView): Tone {
  const good = tones[type] === "good"
  if (status !== "True") return good ? "warn" : "calm"
  return type === "Progressing" && reason === "Complete" ? "good" : (tones[type] ?? "calm")
}

function Conditions({ conditions }: { readonly conditions: readonly ConditionView[] }) {
  if (conditions.length === 0) return null
  const said = new Set<string>()
  const isNew = (message: string) => !said.has(message) && said.add(message) !== undefined
  return (
    <ul class="conditions" aria-label="Conditions">
      {conditions.map((condition) => (
        <li key={condition.type}>
          <Badge
            tone={toneOf(condition)}
          >{`${visible(condition.type)}: ${condition.status}`}</Badge>
          <span class="condition-text">
            <b>{visible(condition.reason)}</b>{" "}
            {isNew(condition.message) ? visible(condition.message) : ""}
          </span>
          <span class="muted condition-age">
            <Age time={condition.lastTransitionTime} />
          </span>
        </li>
      ))}
    </ul>
  )
}
