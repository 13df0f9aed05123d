// One object as sections: what it is, what is wanted, how it stands, what happened to it.

import { isArray, isObject, type Json } from "../../base/json.ts"
import { type ApiObject, sourceAnnotation } from "../../object/object.ts"
import type { Terminal } from "../terminal.ts"
import { ageText } from "./age.ts"
import { eventRows } from "./event-rows.ts"
import { printable } from "./printable.ts"
import { tableLines } from "./table.ts"

const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

export function describeLines(
  object: ApiObject,
  events: readonly ApiObject[],
  spec: string,
  terminal: Pick<Terminal, "paint">,
): string[] {
  const { metadata } = object
  const now = Date.now()
  const title = (text: string) => terminal.paint("bold", text)
  const facts: [string, string | undefined][] = [
    ["Name", metadata.name],
    ["Namespace", metadata.namespace],
    ["Kind", `${object.kind} (${object.apiVersion})`],
    ["Declared at", metadata.annotations?.[sourceAnnotation]],
    ["Labels", mapText(metadata.labels)],
    ["Target", textOf(object.status?.target)],
    ["Ours", object.status?.owned === undefined ? undefined : String(object.status.owned)],
    ["Plan", textOf(object.status?.plan)],
    ["Generation", metadata.generation?.toString()],
    [
      "Made",
      `${metadata.creationTimestamp ?? ""} (${ageText(metadata.creationTimestamp, now)} ago)`,
    ],
    ["Deleting since", metadata.deletionTimestamp],
  ]
  const known = facts.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${`${name}:`.padEnd(16)}${printable(value)}`],
  )
  const wanted = spec.trimEnd().split("\n").map(printable)
  const conditions = conditionRows(object.status?.conditions, now)
  return [
    ...known,
    title("Spec:"),
    ...indent(wanted),
    ...(conditions.length === 0
      ? []
      : [
          title("Conditions:"),
          ...indent(tableLines(["Type", "Status", "Reason", "Since", "Message"], conditions)),
        ]),
    title("Events:"),
    ...(events.length === 0 ? ["  <none>"] : indent(eventLines(events, now))),
  ]
}

function eventLines(events: readonly ApiObject[], now: number): string[] {
  const { head, rows } = eventRows(events, { now, withObject: false, withNamespace: false })
  return tableLines(head, rows)
}

const textOf = (value: Json | undefined) => (typeof value === "string" ? value : undefined)

function mapText(values: Readonly<Record<string, string>> | undefined): string | undefined {
  if (values === undefined) return undefined
  return Object.entries(values)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ")
}

function conditionRows(value: Json | undefined, now: number): string[][] {
  if (!isArray(value)) return []
  return value.filter(isObject).map((condition) => {
    const { type, status, reason, message, lastTransitionTime } = condition
    const since = ageText(textOf(lastTransitionTime), now)
    return [String(type), String(status), String(reason ?? ""), since, String(message ?? "")]
  })
}
