// One journal entry as a line for people: what happened, to what, why and from which revision. The
// whole entry with everything guards judged by is read by its number.

import type { Action, Verb } from "../contract/action.ts"
import type { JournalEntry, JournalEvent } from "../contract/journal.ts"
import { revisionsOf } from "../ledger/journal-search.ts"
import { parseKeyText } from "../object/object.ts"

export interface JournalBrief {
  readonly loop: string
  readonly sequence: number
  readonly time: string
  readonly principal: string
  readonly type: JournalEvent["type"]
  readonly title: string
  /** Done as wished, worth a look, or gone wrong. */
  readonly tone: "plain" | "warn" | "bad"
  readonly object?: string
  readonly verb?: string
  readonly cause?: string
  /** The cause in a sentence, or why it is so. */
  readonly detail?: string
  readonly revision?: string
  readonly plan?: string
}

type Told = Pick<JournalBrief, "title"> & Partial<JournalBrief>

export function briefOf(entry: JournalEntry): JournalBrief {
  const { loop, sequence, time, principal, event } = entry
  const [revision] = revisionsOf(entry)
  const known = { loop, sequence, time, principal, type: event.type, tone: "plain" } as const
  return { ...known, ...(revision === undefined ? {} : { revision }), ...told(event) }
}

function told(event: JournalEvent): Told {
  switch (event.type) {
    case "intent":
      return aboutActions("about to", event.actions)
    case "would":
      return aboutActions("would", event.actions)
    case "receipt":
      return receipt(event)
    case "held": {
      const count = event.count ?? event.digests.length
      const [first] = event.reasons
      const detail = first === undefined ? {} : { detail: first.message }
      return { title: `held ${counted(count)}`, tone: "warn", plan: event.plan, ...detail }
    }
    case "plan":
      return { title: `plan is ${event.phase}`, tone: "warn", plan: event.plan, ...noted(event) }
    case "stop":
    case "resume": {
      const detail = event.reason === undefined ? {} : { detail: event.reason }
      return { title: `${event.type} of ${event.scope}`, tone: "bad", ...detail }
    }
    case "break-glass":
      return { title: `break-glass ${event.state}`, tone: "bad", detail: event.reason }
    case "source":
      return {
        title: `source is ${event.state}`,
        tone: event.state === "good" ? "plain" : "warn",
        ...noted(event),
      }
    case "invariant":
      return {
        title: `invariant ${event.name} is ${event.state}`,
        tone: event.state === "Holding" ? "plain" : "bad",
        ...noted(event),
      }
    default:
      return quiet(event)
  }
}

type Quiet = Exclude<
  JournalEvent,
  {
    readonly type: "intent" | "would" | "receipt" | "held" | "plan" | "stop" | "resume"
  }
>

function quiet(event: Quiet): Told {
  switch (event.type) {
    case "checkpoint":
      return { title: `checkpoint ${event.name} ${event.change}`, ...reasoned(event) }
    case "rollback":
      return {
        title: `rollback to ${event.checkpoint} ${event.state}`,
        tone: "warn",
        ...reasoned(event),
      }
    case "loosened":
      return { title: `let a looser ${event.subject} into force`, tone: "warn" }
    case "round": {
      const { actions, verdicts } = event.inputs.counts
      return { title: `judged ${counted(actions)}`, detail: countsText(verdicts) }
    }
    case "states":
      return { title: statesText(event) }
    case "plane":
      return { title: `the plane ${event.state === "start" ? "started" : "stopped"}` }
    case "dropped":
      return { title: `dropped old entries ${event.from} to ${event.to}` }
    case "release":
    case "adopted":
    case "orphaned":
    case "forgotten":
    case "moved":
    case "detached":
      return {
        title: `${event.type === "release" ? "released" : event.type} ${nameOf(event.object)}`,
        object: event.object,
        tone: event.type === "orphaned" ? "warn" : "plain",
        ...noted(event),
      }
    default:
      return { title: event.type }
  }
}

const past: Readonly<Record<Verb, string>> = {
  create: "created",
  update: "updated",
  replace: "removed the old target of",
  delete: "deleted",
  adopt: "adopted",
  loosen: "loosened",
}

function receipt({
  action,
  result,
  error,
}: Extract<JournalEvent, { readonly type: "receipt" }>): Told {
  const name = actionName(action)
  const title =
    result === "done"
      ? `${past[action.verb]} ${name}`
      : result === "failed"
        ? `failed to ${action.verb} ${name}`
        : `can't say whether it could ${action.verb} ${name}`
  const detail = error ?? action.cause.text
  return { title, tone: result === "done" ? "plain" : "bad", ...factsOf(action), detail }
}

function aboutActions(lead: string, actions: readonly Action[]): Told {
  const [first] = actions
  if (first === undefined) return { title: `${lead} do nothing` }
  if (actions.length > 1) {
    const verbs: Record<string, number> = {}
    for (const { verb } of actions) verbs[verb] = (verbs[verb] ?? 0) + 1
    return { title: `${lead} do ${counted(actions.length)}`, detail: countsText(verbs) }
  }
  return { title: `${lead} ${first.verb} ${actionName(first)}`, ...factsOf(first) }
}

const factsOf = ({ object, verb, cause }: Action) => ({
  ...{ object, verb, cause: cause.kind, detail: cause.text },
})

const actionName = ({ kind, object }: Action): string => `${kind} ${nameOf(object)}`

function nameOf(object: string): string {
  try {
    return parseKeyText(object).name
  } catch {
    return object // Whatever was written stays readable.
  }
}

const noted = ({ note }: { readonly note?: string }) => (note === undefined ? {} : { detail: note })

const reasoned = ({ reason }: { readonly reason?: string }) =>
  reason === undefined ? {} : { detail: reason }

const counted = (count: number): string => `${count} action${count === 1 ? "" : "s"}`

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")

function statesText(event: Extract<JournalEvent, { readonly type: "states" }>): string {
  const parts = [
    [event.out?.length, "left the declared state"],
    [event.in?.length, "came back to it"],
    [event.first?.length, "reached it for the first time"],
    [event.gone?.length, "are gone"],
    [event.blind?.length, "kinds can't be listed"],
    [event.seen?.length, "kinds can be listed again"],
  ] as const
  const told = parts.flatMap(([count = 0, text]) => (count === 0 ? [] : [`${count} ${text}`]))
  return told.join(", ")
}
