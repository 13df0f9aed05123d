// A provider that is wrong in one way, and the parts such providers are made from.

import { note } from "../../examples/10-own-provider/note.ts"
import type { JsonObject } from "../../src/base/json.ts"
import type { ActContext, KindProvider, Target } from "../../src/provider/index.ts"
import type { ConformanceSubject } from "../../src/testing.ts"
import { card, listing, single } from "./provider-subjects.ts"

export interface Mutant {
  readonly rule: string
  readonly what: string
  readonly subject: () => ConformanceSubject
  /** Part of what the rule must say. */
  readonly says: string
}

let serial = 0
/** Never the same twice in this process. */
export const fresh = () => ++serial
export const done = async () => ({ kind: "done" }) as const
export const urlOf = ({ desired }: Target) => `${desired.api}/items/${desired.name}`
export const itemOf = ({ desired: { api: _, name: __, ...item } }: Target): JsonObject => item

/** A write that looks at nothing first. */
export async function blindPut(
  target: Target,
  { world, signal }: ActContext,
  more: JsonObject = {},
) {
  const body = JSON.stringify({ ...itemOf(target), ...more })
  await world.http.request({ method: "PUT", url: urlOf(target), body }, signal)
  return { kind: "done" } as const
}

export async function etagNow(target: Target, { world, signal }: ActContext): Promise<string> {
  const request = { method: "GET", url: urlOf(target) }
  return (await world.http.request(request, signal)).headers.etag ?? ""
}

export const cards = (wrong: Partial<KindProvider>) => () => single({ ...card, ...wrong })
export const notes = (wrong: Partial<KindProvider>) => () => listing({ ...note, ...wrong })
export const observeCard = (
  target: Target,
  context: Parameters<NonNullable<typeof card.observe>>[1],
) => card.observe?.(target, context) ?? Promise.reject(new Error("no observe"))
export const listNotes: NonNullable<KindProvider["list"]> = (scope, sample, context) =>
  note.list?.(scope, sample, context) ?? Promise.reject(new Error("no list"))
