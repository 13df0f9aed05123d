// A request body as Kubernetes' own clients send built-in kinds: four bytes that say protobuf, then
// an envelope that names the kind and holds its message. The result is the object as JSON would
// have brought it. Kinds without a table are refused; nothing is guessed from their bytes.

import type { Json } from "../../base/json.ts"
import { apiFault } from "../faults.ts"
import { decodeMessage, protobufLimits } from "./decode-message.ts"
import { messageOfKind } from "./message-tables.ts"
import { WireReader, wireBytes } from "./wire-reader.ts"

const magic = [0x6b, 0x38, 0x73, 0x00]

export interface TypeNames {
  readonly apiVersion: string
  readonly kind: string
}

interface Envelope extends TypeNames {
  readonly raw: Uint8Array
}

/** `fallback` is what the path serves, for a body that does not name its kind. */
export function decodeProtobuf(bytes: Uint8Array, fallback?: TypeNames): Json {
  if (magic.some((byte, index) => bytes[index] !== byte)) {
    throw apiFault("SPT-API-060", { why: "the bytes 6b 38 73 00 are not there", offset: 0 })
  }
  const envelope = readEnvelope(bytes.subarray(magic.length))
  const kind = envelope.kind === "" ? (fallback?.kind ?? "") : envelope.kind
  const named = envelope.apiVersion
  const apiVersion = named === "" ? (fallback?.apiVersion ?? "") : named
  if (kind === "" || apiVersion === "") {
    throw apiFault("SPT-API-060", { why: "it does not name its apiVersion and kind", offset: 4 })
  }
  const message = messageOfKind(apiVersion, kind)
  if (message === undefined) {
    const what = `${apiVersion.slice(0, 200)} ${kind.slice(0, 100)}`
    throw apiFault("SPT-API-061", { kind: what })
  }
  const value = decodeMessage(message, envelope.raw, 1, { values: protobufLimits.values })
  return { kind, apiVersion, ...(value as Record<string, Json>) }
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const reader = new WireReader(bytes)
  let raw: Uint8Array = new Uint8Array()
  let names: TypeNames = { apiVersion: "", kind: "" }
  while (!reader.done) {
    const field = reader.field()
    if (field > 4) {
      reader.skip()
      continue
    }
    reader.expect(wireBytes)
    if (field === 1) names = readNames(reader.bytes())
    else if (field === 2) raw = reader.bytes()
    else if (field === 3 && reader.bytes().byteLength > 0) reader.refuse("its content is encoded")
    else if (field === 4) checkContent(reader)
  }
  return { ...names, raw }
}

function checkContent(reader: WireReader): void {
  const type = reader.text()
  if (type === "" || type === "application/vnd.kubernetes.protobuf") return
  reader.refuse(`its content is of type ${type.slice(0, 100)}`)
}

function readNames(bytes: Uint8Array): TypeNames {
  const reader = new WireReader(bytes)
  let apiVersion = ""
  let kind = ""
  while (!reader.done) {
    const field = reader.field()
    if (field !== 1 && field !== 2) {
      reader.skip()
      continue
    }
    reader.expect(wireBytes)
    if (field === 1) apiVersion = reader.text()
    else kind = reader.text()
  }
  return { apiVersion, kind }
}
