// Values that JSON does not have: instants, spans, bytes, unsigned numbers, types, optionals, and
// Kubernetes' own. Two of them are equal when their kind and their identity are.

import type { CelValue } from "./cel-value.ts"

export type OpaqueKind =
  | "uint"
  | "bytes"
  | "timestamp"
  | "duration"
  | "type"
  | "optional"
  | "quantity"
  | "url"
  | "ip"
  | "cidr"
  | "semver"
  | "format"
  | "authorizer"
  | "pathcheck"
  | "groupcheck"
  | "resourcecheck"
  | "decision"

export class CelOpaque {
  readonly kind: OpaqueKind
  /** Equal values have equal identities. */
  readonly identity: string
  readonly data: unknown

  constructor(kind: OpaqueKind, identity: string, data: unknown) {
    this.kind = kind
    this.identity = identity
    this.data = data
  }
}

export const uintMax = 2n ** 64n - 1n

export const makeUint = (value: bigint): CelOpaque => new CelOpaque("uint", String(value), value)

export const makeBytes = (value: Uint8Array): CelOpaque =>
  new CelOpaque("bytes", Buffer.from(value).toString("hex"), value)

/** Nanoseconds since 1970. */
export const makeTimestamp = (nanos: bigint): CelOpaque =>
  new CelOpaque("timestamp", String(nanos), nanos)

export const makeDuration = (nanos: bigint): CelOpaque =>
  new CelOpaque("duration", String(nanos), nanos)

export const makeType = (name: string): CelOpaque => new CelOpaque("type", name, name)

/** Its content is compared by the caller; the identity only says whether there is one. */
export const makeOptional = (value: CelValue | undefined): CelOpaque =>
  new CelOpaque("optional", value === undefined ? "none" : "some", value)

export const opaqueNumber = (value: CelOpaque): bigint | undefined =>
  typeof value.data === "bigint" ? value.data : undefined

export function isOpaque(value: unknown, kind?: OpaqueKind): value is CelOpaque {
  return value instanceof CelOpaque && (kind === undefined || value.kind === kind)
}
