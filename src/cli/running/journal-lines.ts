// What a running plane did or held and why, as lines for people, taken from its journal. Many acts
// of one kind become one line; a few are told one by one.

import type { Action, CauseKind, Verb } from "../../contract/action.ts"
import type { JournalEntry } from "../../contract/journal.ts"
import { parseKeyText } from "../../object/object.ts"
import { glassText } from "../render/glass-text.ts"
import { printable } from "../render/printable.ts"
import { returnText } from "../render/return-text.ts"

const toldOneByOne = 3

export function journalLines(entries: readonly JournalEntry[]): string[] {
  const lines: string[] = []
  for (const group of grouped(entries)) lines.push(...groupLines(group).map(printable))
  return lines
}

/** What a plane does all the time while it converges. */
export function goesWell({ event }: JournalEntry): boolean {
  if (event.type === "source") return event.state === "good" || event.state === "proven"
  if (event.type === "invariant") return event.state === "Holding"
  return event.type === "receipt" && event.result === "done" && event.action.verb !== "delete"
}

/** Neighbours of one loop, verb and result, whatever stands between them. */
function grouped(entries: readonly JournalEntry[]): JournalEntry[][] {
  const groups = new Map<string, JournalEntry[]>()
  for (const entry of entries) {
    const name = groupName(entry)
    if (name === undefined) continue
    const known = groups.get(name)
    if (known === undefined) groups.set(name, [entry])
    else known.push(entry)
  }
  return [...groups.values()]
}

function groupName({ loop, event, sequence }: JournalEntry): string | undefined {
  switch (event.type) {
    case "receipt":
      return `${loop} ${event.action.verb} ${event.result} ${event.action.cause.kind}`
    case "release":
    case "adopted":
      return `${loop} ${event.type}`
    case "intent":
    case "round":
    case "states":
    case "plane":
    case "dropped":
      return undefined
    default:
      return `${loop} ${sequence}`
  }
}

function groupLines(group: readonly JournalEntry[]): string[] {
  const [first] = group
  if (first === undefined) return []
  const head = `${first.time.slice(11, 19)}  ${first.loop}  `
  if (group.length <= toldOneByOne) return group.map((entry) => `${head}${entryText(entry)}`)
  const { event } = first
  const count = `${group.length} objects`
  if (event.type !== "receipt") return [`${head}${event.type} ${count}`]
  const how = event.result === "done" ? "" : ` (${event.result}: ${event.error ?? "no answer"})`
  const verb = event.result === "done" ? pastOf[event.action.verb] : `tried to ${event.action.verb}`
  return [`${head}${verb} ${count}${how}: ${causesOf[event.action.cause.kind]}`]
}

const causesOf: Readonly<Record<CauseKind, string>> = {
  edit: "as declared",
  drift: "someone changed them",
  default: "a default changed",
  dependency: "something they refer to changed",
  rollback: "rolled back",
  approval: "approved",
  prune: "no longer declared",
  delete: "deleted on request",
  adopt: "adopted",
  loosen: "loosened",
  missing: "they were there and are gone",
}

const pastOf: Readonly<Record<Verb, string>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  adopt: "adopted",
  loosen: "loosened",
}

/** One entry, without its time and loop. */
export function entryText({ event, principal }: JournalEntry): string {
  switch (event.type) {
    case "receipt": {
      const { action, result, error } = event
      const what = `${nameOf(action)}${fieldsOf(action)}`
      if (result === "done") return `${pastOf[action.verb]} ${what}: ${action.cause.text}`
      return `tried to ${action.verb} ${what}, ${result}: ${error ?? "no answer"}`
    }
    case "held": {
      const count = event.count ?? event.digests.length
      const why = event.reasons[0]?.message ?? "it waits for a person"
      return `held ${countText(count)} in plan ${event.plan}: ${why}`
    }
    case "plan":
      return `plan ${event.plan} is ${event.phase}${event.note ? ` (${event.note})` : ""}`
    case "stop":
    case "resume":
      return `${event.type} ${scopeText(event.scope)} by ${principal}${noteText(event.reason)}`
    case "break-glass":
      return glassText(event, principal)
    case "checkpoint":
    case "rollback":
      return returnText(event, principal)
    case "source":
      if (event.state === "accepted" || event.state === "proven") {
        const by = event.state === "accepted" ? ` by ${principal}` : ""
        return `source ${event.state}: ${event.revision?.slice(0, 12)}${by}${noteText(event.note)}`
      }
      return event.state === "good"
        ? `source read: ${event.note ?? "good"}`
        : `source ${event.state}, the last good state stays: ${event.note ?? ""}`
    case "invariant":
      return `invariant ${event.name} is ${event.state}${noteText(event.note)}`
    case "would":
      return `would do ${countText(event.actions.length)} (mode Observe)`
    case "release":
    case "adopted":
      return `${event.type} ${shortKey(event.object)}${noteText(event.note)}`
    default:
      return event.type
  }
}

const countText = (count: number): string => `${count} action${count === 1 ? "" : "s"}`
const noteText = (note: string | undefined): string => (note ? `: ${note}` : "")
const scopeText = (scope: string): string => scope.replace("in *", "everywhere")

const nameOf = (action: Action): string => `${action.kind} ${parseKeyText(action.object).name}`

function fieldsOf(action: Action): string {
  if (action.verb === "create" || action.verb === "delete") return ""
  const paths = action.changes.map((change) => change.path)
  if (paths.length === 0) return ""
  return ` (${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ", ..." : ""})`
}

function shortKey(key: string): string {
  const { resource, name } = parseKeyText(key)
  return `${resource}/${name}`
}
