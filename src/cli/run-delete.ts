// Deletes and says for each object what became of it: deleted, held with its plan, or refused.

import { parseDuration } from "../base/clock.ts"
import { type Fault, toFault } from "../base/faults.ts"
import type { ObjectRef } from "../contract/client.ts"
import type { Cli } from "./command.ts"
import { commandText } from "./command-text.ts"
import type { DeleteCommandOptions } from "./commands/delete.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { printable } from "./render/printable.ts"
import { findKind, findObjects, refOf, type ServedKindView, servedKinds } from "./resolve-kinds.ts"
import { readObjects } from "./run-apply.ts"
import { waitUntil } from "./wait-until.ts"

interface Doomed {
  readonly ref: ObjectRef
  readonly text: string
}

export async function runDelete(
  cli: Cli,
  words: readonly string[],
  options: DeleteCommandOptions,
): Promise<number> {
  const many = options.all === true || options.selector !== undefined
  if (many) return deleteMany(cli, words, options)
  const doomed = await namedObjects(cli, words, options)
  if (doomed === undefined) return exitCode.failed
  let code: number = exitCode.ok
  const gone: Doomed[] = []
  for (const one of doomed) {
    try {
      await cli.connect().delete(one.ref, { dryRun: options.dryRun === true })
      cli.terminal.print(`${printable(one.text)} deleted${options.dryRun ? " (dry run)" : ""}`)
      gone.push(one)
    } catch (error) {
      code = Math.max(code, tellRefusal(cli, one.text, toFault(error)))
    }
  }
  if (options.wait && options.dryRun !== true) await waitGone(cli, gone, options)
  return code
}

async function namedObjects(
  cli: Cli,
  words: readonly string[],
  { filename }: DeleteCommandOptions,
): Promise<Doomed[] | undefined> {
  const { namespace } = cli.options()
  if (filename !== undefined) {
    const given = await readObjects(cli, filename)
    return given?.map(({ kind, object }) => {
      const { name } = object.metadata
      return doomedOf(kind, name, object.metadata.namespace ?? namespace)
    })
  }
  const kinds = await servedKinds(cli.connect())
  const found = words.length === 0 ? [] : findObjects(kinds, words)
  if (found.length > 0) return found.map(({ kind, name }) => doomedOf(kind, name, namespace))
  const hint = "write KIND NAME, KIND/NAME, -f FILE, or KIND --all"
  throw cliFault("SPT-CLI-002", { what: "delete", why: "it does not say what", hint })
}

function doomedOf(kind: ServedKindView, name: string, namespace: string): Doomed {
  const group = kind.group === "" ? "" : `.${kind.group}`
  return { ref: refOf({ kind, name }, namespace), text: `${kind.singular}${group}/${name}` }
}

async function deleteMany(
  cli: Cli,
  [kind, ...names]: readonly string[],
  options: DeleteCommandOptions,
): Promise<number> {
  if (kind === undefined || names.length > 0) {
    const hint = "write KIND --all, or KIND NAME without it"
    throw cliFault("SPT-CLI-002", { what: "--all", why: "it needs a kind and no names", hint })
  }
  const { namespace } = cli.options()
  const client = cli.connect()
  const found = findKind(await servedKinds(client), kind)
  const scope = found.namespaced ? { namespace } : {}
  const labels = options.selector === undefined ? {} : { labelSelector: options.selector }
  const dryRun = options.dryRun === true
  try {
    const { items } = await client.deleteCollection(found, { ...scope, ...labels, dryRun })
    const gone = items.map(({ metadata }) => doomedOf(found, metadata.name, namespace))
    for (const one of gone) {
      cli.terminal.print(`${printable(one.text)} deleted${dryRun ? " (dry run)" : ""}`)
    }
    if (gone.length === 0) cli.terminal.note("none found")
    if (options.wait && !dryRun) await waitGone(cli, gone, options)
    return exitCode.ok
  } catch (error) {
    return tellRefusal(cli, found.resource, toFault(error))
  }
}

/** Held is an answer: the plan and how to approve it. Anything else is an error. */
function tellRefusal(cli: Cli, what: string, fault: Fault): number {
  const { plan } = fault.details
  const { terminal } = cli
  if (fault.status !== 403 || plan === undefined) {
    const said = printable(fault.message)
    terminal.note(`${printable(what)}: ${terminal.paint("red", "error:")} ${said} [${fault.code}]`)
    if (fault.hint !== "") terminal.note(`  ${terminal.paint("dim", "hint:")} ${fault.hint}`)
    return exitCode.failed
  }
  terminal.print(`${printable(what)} ${terminal.paint("yellow", "held")}: nothing was deleted`)
  terminal.print(`  why:     ${printable(fault.message)}`)
  terminal.print(`  plan:    ${printable(plan)}`)
  terminal.print(`  approve: ${commandText(cli.options(), `approve ${plan}`)}`)
  return exitCode.held
}

async function waitGone(cli: Cli, gone: readonly Doomed[], { timeout }: DeleteCommandOptions) {
  const limitMs = parseDuration(timeout) ?? 60_000
  const left = new Set(gone)
  const done = await waitUntil(cli, limitMs, async () => {
    for (const one of [...left]) {
      if ((await cli.connect().get(one.ref)) === undefined) left.delete(one)
    }
    return { done: left.size === 0, text: `${gone.length - left.size} of ${gone.length} gone` }
  })
  if (done) return
  const what = `the delete of ${[...left][0]?.text ?? ""}`
  throw cliFault("SPT-CLI-012", { what, state: "still there", seconds: limitMs / 1000 })
}
