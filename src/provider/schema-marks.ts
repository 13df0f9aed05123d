// What an author can say about a field besides its type: that it is secret, and how a list or map
// merges. The marks ride on the zod schema as metadata and come out in the lowered schema.

import { z } from "zod"

/** A value that is stored and shown only as a keyed hash. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ "x-setpoint-secret": true })
}

/** How many things there are: to zero destroys all of them, and is judged like deletes. */
export function scale<T extends z.ZodType>(schema: T): T {
  return schema.meta({ "x-setpoint-scale": true })
}

/** How long something lives on (a number, or an RFC 3339 time): less of it counts as a delete. */
export function expiry<T extends z.ZodType>(schema: T): T {
  return schema.meta({ "x-setpoint-expiry": true })
}

/** What a thing is there to hold, as text: emptying it destroys that, as a delete does. */
export function payload<T extends z.ZodType>(schema: T): T {
  return schema.meta({ "x-setpoint-payload": true })
}

/** A list whose items are told apart by these members: items merge one by one. */
export function listMap<T extends z.ZodObject>(
  item: T,
  keys: readonly [keyof z.output<T> & string, ...(keyof z.output<T> & string)[]],
): z.ZodArray<T> {
  return z
    .array(item)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] })
}

/** A list without order and without repeats. */
export function listSet<T extends z.ZodType>(item: T): z.ZodArray<T> {
  return z.array(item).meta({ "x-kubernetes-list-type": "set" })
}

/** A list, map or object that is owned and replaced as one value. */
export function atomic<T extends z.ZodType>(schema: T): T {
  return schema.meta({ "x-setpoint-atomic": true })
}
