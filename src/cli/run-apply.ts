// Reads manifests, has the API try each of them, and writes them only when none was refused.

import { mapBounded } from "../base/async.ts"
import { isFault } from "../base/faults.ts"
import { jsonText } from "../base/json-text.ts"
import type { SourceIssue } from "../contract/source.ts"
import { refusedIssue } from "../controllers/place-manifest.ts"
import type { ApiObject } from "../object/object.ts"
import type { Cli } from "./command.ts"
import type { ApplyOptions } from "./commands/apply.ts"
import { exitCode } from "./exit-codes.ts"
import { printDocument } from "./render/document.ts"
import { issueLines } from "./render/issue-lines.ts"
import { printable } from "./render/printable.ts"
import { servedKinds } from "./resolve-kinds.ts"
import { type GivenObject, placeGiven, readGiven } from "./resolve-manifests.ts"

export const fieldManager = "setpoint"
const atOnce = 8

export async function runApply(cli: Cli, options: ApplyOptions): Promise<number> {
  const given = await readObjects(cli, options.filename)
  if (given === undefined) return exitCode.failed
  const force = options.forceConflicts === true
  const tried = await tryAll(cli, given, force)
  if (tried.issues.length > 0) return refuse(cli, tried.issues)
  const done: { object: ApiObject; result: string }[] = []
  for (const [index, one] of given.entries()) {
    const before = tried.before[index]
    const write = options.dryRun === true ? tried.after[index] : await apply(cli, one, force, false)
    done.push({ object: write ?? one.object, result: resultOf(before, write) })
  }
  const note = options.dryRun === true ? " (dry run)" : ""
  const objects = done.map(({ object }) => object)
  const list = { apiVersion: "v1", kind: "List", metadata: {}, items: objects }
  if (await printDocument(cli, objects.length === 1 && objects[0] ? objects[0] : list)) {
    return exitCode.ok
  }
  for (const [index, { object, result }] of done.entries()) {
    const kind = given[index]?.kind
    const group = kind === undefined || kind.group === "" ? "" : `.${kind.group}`
    const name = `${kind?.singular ?? object.kind}${group}/${object.metadata.name}`
    cli.terminal.print(`${printable(name)} ${result}${note}`)
  }
  return exitCode.ok
}

/** The manifests of all files with their kinds; undefined when something was said to be wrong. */
export async function readObjects(
  cli: Cli,
  files: readonly string[],
): Promise<GivenObject[] | undefined> {
  const { namespace } = cli.options()
  const issues: SourceIssue[] = []
  const manifests = []
  for (const file of files) {
    const read = await readGiven(file, namespace)
    if ("issues" in read) issues.push(...read.issues)
    else manifests.push(...read.manifests)
  }
  const kinds = await servedKinds(cli.connect())
  const placed = placeGiven(manifests, kinds, namespace)
  issues.push(...placed.issues)
  if (issues.length === 0) return placed.objects
  refuse(cli, issues)
  return undefined
}

function refuse(cli: Cli, issues: readonly SourceIssue[]): number {
  for (const line of issueLines(issues, cli.terminal)) cli.terminal.note(line)
  cli.terminal.note(`nothing was written: ${issues.length} issue${issues.length === 1 ? "" : "s"}`)
  return exitCode.failed
}

export interface Tried {
  readonly before: readonly (ApiObject | undefined)[]
  readonly after: readonly (ApiObject | undefined)[]
  readonly issues: readonly SourceIssue[]
}

/** What each would become, by the API's own dry run. */
export async function tryAll(
  cli: Cli,
  given: readonly GivenObject[],
  force: boolean,
): Promise<Tried> {
  const issues: SourceIssue[] = []
  const before: (ApiObject | undefined)[] = []
  const after = await mapBounded(given, atOnce, async (one, index) => {
    const { namespace = "", name } = one.object.metadata
    before[index] = await cli.connect().get({ ...one.kind, namespace, name })
    try {
      return await apply(cli, one, force, true)
    } catch (error) {
      if (!isFault(error) || error.status >= 500) throw error
      issues.push(refusedIssue(one.manifest, error))
      return undefined
    }
  })
  return { before, after, issues }
}

function apply(cli: Cli, { kind, object }: GivenObject, force: boolean, dryRun: boolean) {
  return cli.connect().apply(kind, object, { fieldManager, force, dryRun })
}

function resultOf(before: ApiObject | undefined, after: ApiObject | undefined): string {
  if (before === undefined) return "created"
  const plain = (object: ApiObject | undefined) => {
    const { managedFields: _m, resourceVersion: _r, ...metadata } = object?.metadata ?? { name: "" }
    return jsonText([object?.spec, object?.data, metadata])
  }
  return plain(before) === plain(after) ? "unchanged" : "configured"
}
