// Event objects as rows, the newest last.

import { isObject, type Json } from "../../base/json.ts"
import type { ApiObject } from "../../object/object.ts"
import { ageText } from "./age.ts"

export interface EventRowOptions {
  readonly now: number
  readonly withObject: boolean
  readonly withNamespace: boolean
}

export function eventRows(
  events: readonly ApiObject[],
  { now, withObject, withNamespace }: EventRowOptions,
): { readonly head: string[]; readonly rows: string[][] } {
  const sorted = [...events].sort((left, right) => (seenAt(left) < seenAt(right) ? -1 : 1))
  const head = ["Last seen", "Type", "Reason", ...(withObject ? ["Object"] : []), "Message"]
  const rows = sorted.map((event) => {
    const count = typeof event.count === "number" && event.count > 1 ? ` (x${event.count})` : ""
    const object = withObject ? [involvedText(event.involvedObject as Json | undefined)] : []
    const [type, reason, message] = [event.type, event.reason, event.message].map(String)
    const namespace = withNamespace ? [event.metadata.namespace ?? ""] : []
    const seen = ageText(seenAt(event), now)
    return [...namespace, seen, type ?? "", reason ?? "", ...object, `${message}${count}`]
  })
  return { head: [...(withNamespace ? ["Namespace"] : []), ...head], rows }
}

export function seenAt(event: ApiObject): string {
  const { lastTimestamp, eventTime } = event
  if (typeof lastTimestamp === "string") return lastTimestamp
  return typeof eventTime === "string" ? eventTime : (event.metadata.creationTimestamp ?? "")
}

export function involvedText(involved: Json | undefined): string {
  if (!isObject(involved)) return ""
  return `${String(involved.kind ?? "").toLowerCase()}/${String(involved.name ?? "")}`
}
