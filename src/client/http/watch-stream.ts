// A watch over HTTP as objects. When the server ends the stream in peace (timeout, restart), or the
// connection breaks and the client is patient, it is opened again after the last revision seen; a
// failure that the server reports is thrown.

import { setTimeout as pause } from "node:timers/promises"
import { isFault } from "../../base/faults.ts"
import { isObject, type Json } from "../../base/json.ts"
import { parseJson } from "../../base/json-text.ts"
import type { ObjectEvent } from "../../contract/client.ts"
import type { ApiObject } from "../../object/object.ts"
import { clientFault } from "../faults.ts"
import { faultFromStatus } from "../status-fault.ts"
import { type HttpConnection, isPassing } from "./http-connection.ts"

const lineBytesMax = 16 * 1024 * 1024
const reopenMs = 200

export async function* watchStream(
  connection: HttpConnection,
  pathAfter: (resourceVersion: string) => string,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<ObjectEvent> {
  // Of one collection every change has a revision of its own: what follows comes after it.
  let after = resourceVersion
  const patience = connection.patience()
  while (!signal.aborted) {
    try {
      const path = pathAfter(after)
      const response = await connection.open({ method: "GET", path }, signal)
      if (response.statusCode !== 200) await connection.refuse(response)
      for await (const line of linesOf(connection, response)) {
        const event = readEvent(connection, line)
        patience.reset()
        after =
          event.type === "BOOKMARK"
            ? event.resourceVersion
            : (event.object.metadata.resourceVersion ?? after)
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      const again = isBroken(error) && (await patience.again(signal))
      if (signal.aborted) return
      if (!again) throw error
      continue
    }
    await pause(reopenMs, undefined, { signal }).catch(() => {})
  }
}

/** The connection, not what the server says. */
function isBroken(error: unknown): boolean {
  return isFault(error) ? isPassing(error) : error instanceof Error && "code" in error
}

async function* linesOf(
  connection: HttpConnection,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end))
      const line = Buffer.concat(parts).toString("utf8")
      parts = []
      size = 0
      start = end + 1
      if (line !== "") yield line
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > lineBytesMax) {
      const why = `an event has more than ${lineBytesMax} bytes`
      throw clientFault("SPT-CLIENT-003", { where: connection.where, why })
    }
  }
  // What follows the last line end was cut off; its event comes again when the watch is reopened.
}

function readEvent(connection: HttpConnection, line: string): ObjectEvent {
  const refuse = (why: string) => clientFault("SPT-CLIENT-003", { where: connection.where, why })
  let event: Json
  try {
    event = parseJson(line)
  } catch {
    throw refuse("an event is no JSON")
  }
  if (!isObject(event) || !isObject(event.object)) throw refuse("an event has no object")
  const { type, object } = event
  if (type === "ERROR") {
    throw faultFromStatus(object, typeof object.code === "number" ? object.code : 500)
  }
  if (type === "BOOKMARK") {
    const { metadata } = object
    const version = isObject(metadata) ? metadata.resourceVersion : undefined
    return { type, resourceVersion: typeof version === "string" ? version : "0" }
  }
  if (type === "ADDED" || type === "MODIFIED" || type === "DELETED") {
    return { type, object: object as Partial<ApiObject> as ApiObject }
  }
  throw refuse(`an event of the unknown type ${String(type)}`)
}
