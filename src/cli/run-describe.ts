// Fetches objects with their events and prints each as sections of text.

import { toPlainJson } from "../base/json.ts"
import type { Cli } from "./command.ts"
import { exitCode } from "./exit-codes.ts"
import { cliFault } from "./faults.ts"
import { describeLines } from "./render/describe-lines.ts"
import { documentText, printDocument } from "./render/document.ts"
import { findObjects, kindName, refOf, servedKinds } from "./resolve-kinds.ts"
import { eventResource } from "./run-events.ts"

export async function runDescribe(cli: Cli, words: readonly string[]): Promise<number> {
  const client = cli.connect()
  const { namespace } = cli.options()
  const found = findObjects(await servedKinds(client), words)
  if (found.length === 0) {
    const why = "no object is named"
    const hint = "write KIND NAME, or KIND/NAME"
    throw cliFault("SPT-CLI-002", { what: "describe", why, hint })
  }
  for (const [index, named] of found.entries()) {
    const ref = refOf(named, namespace)
    const object = await client.get(ref)
    if (object === undefined) {
      const { kind, name } = named
      throw cliFault("SPT-CLI-010", { kind: kindName(kind), name, namespace })
    }
    const { items } = await client.list(eventResource, {
      namespace: ref.namespace === "" ? "default" : ref.namespace,
      limit: 500,
    })
    const own = items.filter((event) => {
      const involved = event.involvedObject
      return isAbout(involved, object.metadata.uid, object.kind, object.metadata.name)
    })
    if (await printDocument(cli, { object, events: own })) continue
    if (index > 0) cli.terminal.print("")
    const spec = await documentText(toPlainJson(object.spec ?? {}), "yaml")
    for (const line of describeLines(object, own, spec, cli.terminal)) cli.terminal.print(line)
  }
  return exitCode.ok
}

function isAbout(involved: unknown, uid: string | undefined, kind: string, name: string): boolean {
  if (typeof involved !== "object" || involved === null) return false
  const given: Record<string, unknown> = { ...involved }
  return given.uid === uid || (given.kind === kind && given.name === name)
}
