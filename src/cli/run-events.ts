// Lists the events of a namespace, the newest last, and goes on with --watch.

import type { Json } from "../base/json.ts"
import type { ApiObject } from "../object/object.ts"
import type { Cli } from "./command.ts"
import type { EventsOptions } from "./commands/events.ts"
import { exitCode } from "./exit-codes.ts"
import { printDocument } from "./render/document.ts"
import { eventRows, involvedText } from "./render/event-rows.ts"
import { tableLines } from "./render/table.ts"
import { findObject, servedKinds } from "./resolve-kinds.ts"

export const eventResource = { group: "", version: "v1", resource: "events" } as const

const eventsMax = 5000

export async function runEvents(cli: Cli, options: EventsOptions): Promise<number> {
  const client = cli.connect()
  const everywhere = options.allNamespaces === true
  const scope = everywhere ? {} : { namespace: cli.options().namespace }
  const { items, resourceVersion } = await client.list(eventResource, {
    ...scope,
    limit: eventsMax,
  })
  const wanted = await chooser(cli, options)
  const events = items.filter(wanted)
  if (
    !(await printDocument(cli, { apiVersion: "v1", kind: "List", metadata: {}, items: events }))
  ) {
    if (events.length === 0 && options.watch !== true) cli.terminal.note("no events")
    else print(cli, events, everywhere)
  }
  if (options.watch !== true) return exitCode.ok
  const stop = new AbortController()
  process.once("SIGINT", () => stop.abort())
  const request = { ...scope, resourceVersion, signal: stop.signal }
  for await (const event of client.watch(eventResource, request)) {
    if (event.type === "BOOKMARK" || event.type === "DELETED" || !wanted(event.object)) continue
    if (await printDocument(cli, event.object)) continue
    const rows = eventRows([event.object], {
      ...{ now: Date.now(), withObject: true, withNamespace: everywhere },
    })
    cli.terminal.print(tableLines(rows.head, rows.rows)[1] ?? "")
  }
  return exitCode.ok
}

async function chooser(cli: Cli, options: EventsOptions): Promise<(event: ApiObject) => boolean> {
  if (options.for === undefined) return () => true
  const { kind, name } = findObject(await servedKinds(cli.connect()), options.for.split(" "))
  const text = `${kind.kind.toLowerCase()}/${name}`
  return (event) => involvedText(event.involvedObject as Json | undefined) === text
}

function print(cli: Cli, events: readonly ApiObject[], withNamespace: boolean): void {
  const { head, rows } = eventRows(events, { now: Date.now(), withObject: true, withNamespace })
  for (const line of tableLines(head, rows)) cli.terminal.print(line)
}
