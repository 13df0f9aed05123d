// Stored bytes as an answer, without parsing: the resourceVersion is put in right behind the head
// that every stored object begins with. Bytes that begin otherwise (another version, encrypted) or
// that are older than the schema of their kind have to be decoded.

import type { Revision } from "../contract/store.ts"
import { type ServedResource, servedApiVersion } from "./served-resource.ts"

const heads = new WeakMap<ServedResource, Buffer>()

function headOf(resource: ServedResource): Buffer {
  const known = heads.get(resource)
  if (known !== undefined) return known
  const { kind } = resource
  const text = JSON.stringify({ apiVersion: servedApiVersion(resource), kind, metadata: {} })
  const head = Buffer.from(text.slice(0, -2))
  heads.set(resource, head)
  return head
}

/**
 * Undefined when they have to be decoded. `tail` is ASCII, put behind them. `written`: the revision
 * they were stored at, where another one is shown.
 */
export function objectBytes(
  resource: ServedResource,
  value: Uint8Array,
  revision: Revision,
  tail = "",
  written = revision,
): Buffer | undefined {
  const head = headOf(resource)
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (written <= resource.plainAfter) return undefined
  if (bytes.length <= head.length || head.compare(bytes, 0, head.length) !== 0) return undefined
  const version = `"resourceVersion":"${revision}",`
  const size = bytes.length + version.length
  const whole = Buffer.allocUnsafe(size + tail.length)
  head.copy(whole, 0)
  whole.write(version, head.length, "latin1")
  bytes.copy(whole, head.length + version.length, head.length)
  if (tail !== "") whole.write(tail, size, "latin1")
  return whole
}
