// The bounds of the store, and the check of every commit against them before anything is queued.

import type { Check, RangeQuery, Write } from "../contract/store.ts"
import { placesPerRevision } from "./engine.ts"
import { storeFault } from "./faults.ts"

export const maxKeyLength = 1024
export const maxValueBytes = 1.5 * 1024 * 1024
export const maxWritesPerCommit = placesPerRevision
export const maxBytesPerCommit = 32 * 1024 * 1024

/** Keys that the store writes for itself; nobody else may. */
export const reservedPrefix = "/setpoint/store/"

const printable = /^[\x20-\x7e]+$/

export function requireKey(key: string): void {
  const cause = faultOf(key)
  if (cause === undefined) return
  const shown = typeof key === "string" ? JSON.stringify(key.slice(0, 80)) : typeof key
  throw storeFault("SPT-STORE-001", { key: shown, cause })
}

function faultOf(key: string): string | undefined {
  if (typeof key !== "string" || key === "") return "it is empty or not a text"
  if (key.length > maxKeyLength) return `it has ${key.length} characters`
  return printable.test(key) ? undefined : "it is not printable ASCII"
}

function requireOpenKey(key: string): void {
  requireKey(key)
  if (key.startsWith(reservedPrefix))
    throw storeFault("SPT-STORE-001", { key, cause: `${reservedPrefix} belongs to the store` })
}

/** Throws when the commit breaks a bound; answers how many bytes it holds. */
export function requireCommit(
  checks: readonly Check[],
  writes: readonly Write[],
  own: boolean,
): number {
  if (writes.length > maxWritesPerCommit || checks.length > maxWritesPerCommit) {
    const cause = `${writes.length} writes and ${checks.length} checks, at most 4096 of each`
    throw storeFault("SPT-STORE-003", { cause })
  }
  for (const check of checks) {
    requireKey(check.key)
    if (!Number.isSafeInteger(check.modRevision) || check.modRevision < 0) {
      const cause = `the check of ${check.key} names no revision`
      throw storeFault("SPT-STORE-003", { cause })
    }
  }
  const seen = new Set<string>()
  let bytes = 0
  for (const write of writes) {
    if (own) requireKey(write.key)
    else requireOpenKey(write.key)
    if (writes.length > 1) {
      if (seen.has(write.key))
        throw storeFault("SPT-STORE-003", { cause: `${write.key} is written twice` })
      seen.add(write.key)
    }
    bytes += write.key.length + 64
    if (write.kind === "put") bytes += requireValue(write.key, write.value)
  }
  if (bytes > maxBytesPerCommit)
    throw storeFault("SPT-STORE-003", { cause: `${bytes} bytes, at most ${maxBytesPerCommit}` })
  return bytes
}

function requireValue(key: string, value: Uint8Array): number {
  if (!(value instanceof Uint8Array))
    throw storeFault("SPT-STORE-003", { cause: `the value of ${key} is not bytes` })
  if (value.length > maxValueBytes) {
    const details = { key, bytes: value.length, limit: maxValueBytes }
    throw storeFault("SPT-STORE-002", details)
  }
  return value.length
}

export function requireRange(query: RangeQuery): number {
  if (query.limit === undefined) return Number.POSITIVE_INFINITY
  if (Number.isSafeInteger(query.limit) && query.limit > 0) return query.limit
  throw storeFault("SPT-STORE-003", { cause: `the limit ${query.limit} is not a positive count` })
}
