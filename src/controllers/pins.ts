// Between objects and what a checkpoint pins of them. A pin holds what somebody declared: name and
// place, labels, annotations, spec; never what the server says itself (UID, versions, status, the
// loop's label). Pure.

import type { Json, JsonObject } from "../base/json.ts"
import type { Manifest, Position } from "../contract/source.ts"
import type { Pin } from "../ledger/checkpoint-pages.ts"
import { authorsAnnotation } from "../object/authors.ts"
import { detachedAnnotation } from "../object/detached-fields.ts"
import {
  type ApiObject,
  loopLabel,
  type ObjectMeta,
  parseKeyText,
  protectAnnotation,
  sourceAnnotation,
  targetFinalizer,
} from "../object/object.ts"
import type { Placed } from "./place-manifest.ts"

/** What a source declared, as it was declared. */
export function pinOfPlaced({ text, object }: Placed): Pin {
  return pinOf(text, object)
}

/** What is stored of an object, without what the server adds. */
export function pinOfStored(key: string, object: ApiObject): Pin {
  // An owner that is made again has another UID: what it owned would be taken for an orphan.
  const { ownerReferences: _, ...metadata } = object.metadata
  return pinOf(key, { ...object, metadata })
}

function pinOf(key: string, object: ApiObject): Pin {
  const { apiVersion, kind, metadata, status: _, ...body } = object
  return { key, apiVersion, kind, metadata: declaredMeta(metadata), body: plain(body) }
}

/** Written by the server about an object, not declared by anyone. */
const ownAnnotations: ReadonlySet<string> = new Set([authorsAnnotation, detachedAnnotation])

/** What of these annotations stays when the declared ones are brought back. */
export function keptAnnotations(annotations: ObjectMeta["annotations"] = {}) {
  const kept = (name: string) => ownAnnotations.has(name) || name === protectAnnotation
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => kept(name)))
}

function declaredMeta(metadata: ObjectMeta): JsonObject {
  const { labels = {}, finalizers, ownerReferences } = metadata
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)),
  )
  const { [loopLabel]: _loop, ...own } = labels
  const others = finalizers?.filter((one) => one !== targetFinalizer) ?? []
  return {
    ...(Object.keys(own).length === 0 ? {} : { labels: own }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(others.length === 0 ? {} : { finalizers: others }),
    ...(ownerReferences === undefined
      ? {}
      : { ownerReferences: ownerReferences.map((one) => ({ ...one })) }),
  }
}

/** Members that are undefined are not there; the rest is shared, not copied. */
function plain(body: object): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as Record<string, Json>
}

/** The object that a pin stands for, as somebody would declare it. */
export function objectOfPin({ key, apiVersion, kind, metadata, body }: Pin): ApiObject {
  const { namespace, name } = parseKeyText(key)
  const place = namespace === "" ? { name } : { name, namespace }
  return { apiVersion, kind, metadata: { ...metadata, ...place }, ...body }
}

/** The manifest that a source once held; its lines are those of then. */
export function manifestOfPin(pin: Pin): Manifest {
  const object = objectOfPin(pin)
  const position = positionOf(object.metadata.annotations?.[sourceAnnotation] ?? "")
  return { object, position, locate: () => position }
}

function positionOf(place: string): Position {
  const colon = place.lastIndexOf(":")
  const line = Number(place.slice(colon + 1))
  if (colon < 0 || !Number.isInteger(line)) return { file: place, line: 1, column: 1 }
  return { file: place.slice(0, colon), line, column: 1 }
}
