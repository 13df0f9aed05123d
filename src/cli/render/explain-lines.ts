// The plane's view of one object as sentences: how it stands, what differs and why, what keeps it
// from being put right, and what to do next.

import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import type { GlobalOptions } from "../command.ts"
import { commandText } from "../command-text.ts"
import type { Terminal } from "../terminal.ts"
import { changeLines, type ShownChange } from "./field-change.ts"
import { printable } from "./printable.ts"
import { whySections } from "./why-lines.ts"

export interface Explanation {
  readonly name: string
  readonly kind: string
  readonly object: string
  readonly target: string
  readonly loop: string
  readonly mode: string
  readonly source: string
  readonly sourceRevision: string
  /** Its manifest is gone, and why it is kept all the same. */
  readonly undeclared: string | undefined
  readonly deleting: boolean
  readonly owned: boolean
  readonly stopped: string
  readonly breakGlass: string
  /** The words that lift it. */
  readonly resume: string
  readonly plan: string
  readonly observation: JsonObject
  readonly state: JsonObject
  readonly loopSource: JsonObject
  /** What the loop is rolled back to. */
  readonly rollback: JsonObject
  /** Another object that has the target already. */
  readonly claimedBy: string
  readonly rejected: readonly JsonObject[]
  /** What was last done or tried, newest first. */
  readonly acts: readonly JsonObject[]
  readonly missing: readonly JsonObject[]
  /** The composite that it is a part of. */
  readonly parent: string
  readonly composite: boolean
  /** "" for objects in no wave. */
  readonly wave: string
  /** Its Ready condition, for objects that another one reports on. */
  readonly reported: JsonObject | undefined
  readonly children: readonly JsonObject[]
  readonly held: readonly JsonObject[]
  readonly changes: readonly (ShownChange & { readonly why: string })[]
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

const readyOf = (view: JsonObject): JsonObject | undefined =>
  objects(view.conditions).find(({ type }) => type === "Ready")

export function readExplanation(view: JsonObject): Explanation {
  return {
    name: text(view.name),
    kind: text(view.kind),
    object: text(view.object),
    target: text(view.target),
    loop: text(view.loop),
    mode: text(view.mode),
    source: text(view.source),
    sourceRevision: text(view.sourceRevision),
    undeclared: typeof view.undeclared === "string" ? view.undeclared : undefined,
    deleting: view.deleting === true,
    owned: view.owned === true,
    stopped: text(view.stopped),
    breakGlass: text(view.breakGlass),
    resume: text(view.resume) || "resume",
    plan: text(view.plan),
    observation: object(view.observation),
    state: object(view.state),
    loopSource: object(view.loopSource),
    rollback: object(view.rollback),
    claimedBy: text(view.claimedBy),
    rejected: objects(view.rejected),
    acts: objects(view.acts),
    missing: objects(view.missing),
    parent: text(view.parent),
    composite: view.composite === true,
    wave: typeof view.wave === "number" ? String(view.wave) : "",
    reported: view.reported === true ? readyOf(view) : undefined,
    children: objects(view.children),
    held: objects(view.held),
    changes: objects(view.changes).map((change) => ({
      path: text(change.path),
      why: text(change.why),
      ...(change.before === undefined ? {} : { before: change.before }),
      ...(change.after === undefined ? {} : { after: change.after }),
    })),
  }
}

type Paints = Pick<Terminal, "paint" | "columns">

export function explainLines(
  told: Explanation,
  terminal: Paints,
  options: Pick<GlobalOptions, "data">,
  now: number,
): string[] {
  const subject = terminal.paint("bold", printable(`${told.kind} ${told.name}`))
  const verdict = standing(told)
  const colour = verdict.good ? "green" : "yellow"
  const lines = [`${subject} ${terminal.paint(colour, printable(verdict.text))}`]
  const say = (sentence: string) => lines.push(`  ${printable(sentence)}`)
  if (told.claimedBy !== "") say(`Its target ${told.target} belongs to ${told.claimedBy}.`)
  else if (told.target !== "") {
    say(`It keeps ${told.target}${told.owned ? ", which is ours." : "."}`)
  }
  say(declaredText(told))
  if (told.wave !== "") say(`It is in wave ${told.wave}: the waves before it have to be ready.`)
  if (told.undeclared) say(`It is kept, for its delete is denied: ${told.undeclared}.`)
  for (const sentence of loopSentences(told)) say(sentence)
  for (const { title, lines: why } of whySections(told, now)) {
    lines.push("", title, ...why.map((line) => `  ${printable(line)}`))
  }
  lines.push(...childLines(told.children).map(printable))
  if (told.changes.length > 0) {
    lines.push("", "What differs:")
    for (const change of told.changes) {
      lines.push(
        ...changeLines({ ...change, reason: whys[change.why] ?? change.why }, terminal, "  "),
      )
    }
  }
  const next = nextSteps(told, options)
  if (next.length > 0)
    lines.push("", "What to do:", ...next.map((step) => `  - ${printable(step)}`))
  return lines
}

/** What does not stand well comes first. */
function childLines(children: readonly JsonObject[]): string[] {
  if (children.length === 0) return []
  const rank = ({ ready }: JsonObject) => (ready === true ? 1 : 0)
  const sorted = children.toSorted((left, right) => rank(left) - rank(right))
  const lines = sorted.map(({ object: key, ready, deleting, message }) => {
    const how = deleting === true ? "is being deleted" : text(message) || "not looked at yet"
    return `  ${ready === true ? "ready" : "not ready"}  ${text(key)}: ${how}`
  })
  return ["", "Its children:", ...lines]
}

function declaredText({ source, sourceRevision, undeclared, parent }: Explanation): string {
  const since = sourceRevision === "" ? "" : `, since revision ${sourceRevision.slice(0, 12)}`
  if (source === "" && parent !== "") return `It is a part of ${parent}, which declares it.`
  if (source === "") return "It was made by API."
  return undeclared === undefined
    ? `It is declared at ${source}${since}.`
    : `It was declared at ${source}${since}, and no longer is.`
}

const whys: Readonly<Record<string, string>> = {
  requested: "declared and not done yet",
  drift: "someone changed it",
  adopt: "exists and is not ours",
  conflict: "changed there and here",
}

function standing(told: Explanation): { readonly good: boolean; readonly text: string } {
  const { observation, changes, deleting, owned, missing } = told
  if (deleting) return { good: false, text: "is being deleted." }
  if (told.composite) return composed(told)
  if (told.claimedBy !== "") return { good: false, text: "can't have its target." }
  if (missing.length > 0) return { good: false, text: "waits for a value of another object." }
  if (observation.kind === "unknown") {
    return { good: false, text: `can't be seen: ${text(observation.cause)}.` }
  }
  if (observation.kind === "absent") {
    const was = owned ? "was there and is gone" : "is not there yet"
    return { good: false, text: `is not as declared: the target ${was}.` }
  }
  if (changes.length === 0) {
    const foreign = owned ? "" : "; it was there before and is not ours"
    return { good: true, text: `is as declared${foreign}.` }
  }
  const count = `${changes.length} field${changes.length === 1 ? "" : "s"}`
  return {
    good: false,
    text: `is not as declared: ${count} ${changes.length === 1 ? "differs" : "differ"}.`,
  }
}

/** A composite stands as it says itself: it has no target. */
function composed({ state, children, reported }: Explanation): { good: boolean; text: string } {
  if (reported !== undefined) {
    const good = reported.status === "True"
    return { good, text: `is ${text(reported.reason)}: ${text(reported.message)}` }
  }
  const ready = children.filter((child) => child.ready === true).length
  const count = `${ready} of its ${children.length} children are ready`
  const message = text(state.message)
  if (message === "") return { good: true, text: `is as declared: ${count}.` }
  return { good: false, text: `is not as declared: ${message}` }
}

function loopSentences(told: Explanation): string[] {
  const { loop, mode, rollback } = told
  const lines: string[] = []
  if (loop === "") return ["It belongs to no loop: it is stored and not acted on."]
  if (mode === "") return [`Its loop ${loop} does not exist any more: it is not acted on.`]
  const modes: Readonly<Record<string, string>> = {
    Enforce: "keeps it so within its limits",
    Propose: "acts only on what a person approves",
    Observe: "only reports; it changes nothing",
  }
  lines.push(`Loop ${loop} is in mode ${mode}: it ${modes[mode] ?? "decides"}.`)
  if (told.breakGlass !== "") lines.push(`BREAK-GLASS: ${told.breakGlass}.`)
  if (text(rollback.text) !== "") {
    const revision = text(rollback.quarantined).slice(0, 12)
    lines.push(`The loop is ${text(rollback.text)}; source revision ${revision} is set aside.`)
  }
  return lines
}

function nextSteps(told: Explanation, options: Pick<GlobalOptions, "data">): string[] {
  const { held, stopped, plan, mode, loopSource, observation, changes, missing } = told
  const how = (words: string) => `\`${commandText(options, words)}\``
  const steps: string[] = []
  if (stopped !== "") steps.push(`${how(told.resume)} lets the plane act again`)
  if (held.length > 0 && plan !== "") {
    steps.push(`look with ${how(`plans ${plan}`)}, then ${how(`approve ${plan}`)} or reject it`)
  }
  const adopts = held.some((one) => object(one.action).verb === "adopt")
  if (adopts)
    steps.push(`${how(`adopt ${told.kind.toLowerCase()} ${told.name}`)} takes charge of it`)
  if (typeof loopSource.hint === "string") steps.push(loopSource.hint)
  if (mode === "Observe" && changes.length > 0) steps.push("set the loop's spec.mode to act")
  if (missing.length > 0) steps.push("make the object that it refers to")
  const { next } = object(told.state.diagnosis)
  const covered = stopped !== "" || held.length > 0 || missing.length > 0
  if (typeof next === "string" && (!covered || told.deleting)) {
    steps.push(next.replaceAll(/`setpoint ([^`]+)`/g, (_, words) => how(words)))
  } else if (observation.kind === "unknown") {
    steps.push("see why it can't be read; it is tried again")
  }
  const free = held.length === 0 && stopped === "" && mode === "Enforce"
  if (steps.length === 0 && changes.length > 0 && free)
    steps.push("nothing: it is put right by itself")
  return steps
}
