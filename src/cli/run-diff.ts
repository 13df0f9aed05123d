// The two comparisons of `setpoint diff`. Nothing is written: the API is asked for a dry run, or
// for its explanation of one object.

import { isObject, type Json, type JsonObject } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { authorsAnnotation } from "../object/authors.ts"
import { type ApiObject, loopLabel } from "../object/object.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { type FileDifference, maskedDifference } from "./masked-differences.ts"
import { printDocument } from "./render/document.ts"
import { changeLines, valueText } from "./render/field-change.ts"
import { issueLines } from "./render/issue-lines.ts"
import { printable } from "./render/printable.ts"
import { tableLines } from "./render/table.ts"
import { findObject, keyOf, servedKinds } from "./resolve-kinds.ts"
import { readObjects, tryAll } from "./run-apply.ts"

export async function diffFiles(cli: Cli, files: readonly string[]): Promise<number> {
  const { terminal } = cli
  const given = await readObjects(cli, files)
  if (given === undefined) return exitCode.failed
  const { before, after, issues } = await tryAll(cli, given, true)
  if (issues.length > 0) {
    for (const line of issueLines(issues, terminal)) terminal.note(line)
    return exitCode.failed
  }
  const found = given.flatMap(({ object }, index) => {
    const fields = [...differences(wantedOf(before[index]), wantedOf(after[index]), "")].map(
      (field) => maskedDifference(object, field),
    )
    const { name, namespace } = object.metadata
    const created = before[index] === undefined
    return fields.length === 0 ? [] : [{ kind: object.kind, namespace, name, created, fields }]
  })
  if (!(await printDocument(cli, { differences: found }))) {
    for (const { kind, name, created, fields } of found) {
      const sign = created ? terminal.paint("green", "+") : terminal.paint("yellow", "~")
      terminal.print(`${sign} ${terminal.paint("bold", printable(`${kind} ${name}`))}`)
      for (const field of fields) terminal.print(changeLines(field, terminal).join("\n"))
    }
    if (found.length === 0) terminal.note("no differences")
  }
  return found.length === 0 ? exitCode.ok : exitCode.differences
}

/** What people declare: everything but what the server says itself. */
function wantedOf(object: ApiObject | undefined): JsonObject {
  if (object === undefined) return {}
  const { apiVersion: _v, kind: _k, status: _s, metadata, ...rest } = object
  const { [loopLabel]: _l, ...labels } = metadata.labels ?? {} // Set by the server.
  const { [authorsAnnotation]: _a, ...annotations } = metadata.annotations ?? {} // As well.
  const kept = { labels, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) }
  return { ...(rest as JsonObject), metadata: kept }
}

function* differences(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
): Generator<FileDifference> {
  if (jsonText(before) === jsonText(after)) return
  if (isObject(before ?? {}) && isObject(after ?? {}) && (isObject(before) || isObject(after))) {
    const left = isObject(before) ? before : {}
    const right = isObject(after) ? after : {}
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      yield* differences(left[name], right[name], path === "" ? name : `${path}.${name}`)
    }
    return
  }
  yield {
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

export async function diffObject(cli: Cli, words: readonly string[]): Promise<number> {
  const client = cli.connect()
  const named = findObject(await servedKinds(client), words)
  const key = keyOf(named, cli.options().namespace)
  const view = await client.call("GET", `/setpoint/v1/explain?object=${encodeURIComponent(key)}`)
  const answer = isObject(view) ? view : {}
  const fields = Array.isArray(answer.fields) ? answer.fields.filter(isObject) : []
  const { target, observation } = answer
  const { terminal } = cli
  const different = fields.length > 0 ? exitCode.differences : exitCode.ok
  if (await printDocument(cli, { object: key, target: target ?? null, fields })) return different
  const seen = isObject(observation) ? observation : {}
  if (seen.kind === "unknown") {
    terminal.note(`cannot tell: ${printable(String(seen.cause))}`)
    return exitCode.failed
  }
  if (fields.length === 0) {
    terminal.note(`no differences: ${printable(String(target))} is as declared`)
    return exitCode.ok
  }
  const title = terminal.paint("bold", printable(`${named.kind.kind} ${named.name}`))
  terminal.print(`${title}  ${printable(String(target))}`)
  const rows = fields.map((field) => [
    String(field.path),
    String(field.why),
    valueText(field.declared),
    valueText(field.applied),
    seen.kind === "absent" ? "(absent)" : valueText(field.observed),
  ])
  const head = ["Field", "Why", "Declared", "Applied", "Observed"]
  for (const line of tableLines(head, rows)) terminal.print(line)
  for (const { path, declared, observed } of fields) {
    if (!`${declared}${observed}`.includes("\n") || seen.kind === "absent") continue
    const change = {
      path: `${String(path)}, observed -> declared`,
      ...(observed === undefined ? {} : { before: observed }),
      ...(declared === undefined ? {} : { after: declared }),
    }
    terminal.print(["", ...changeLines(change, terminal, "")].join("\n"))
  }
  return exitCode.differences
}
