// How a kind tells what exists already, so that it can be declared. An importer reads and never
// acts; what it can't read, or had better not write into a manifest, it names instead of leaving it
// out in silence. Secret values never come out of it.

import type { JsonObject } from "../base/json.ts"
import type { ObserveContext } from "./provider.ts"

export interface ImportOption {
  readonly description: string
  readonly required?: boolean
}

/** Something that exists and could be declared. */
export interface Found {
  /** What people call it, for example a path; its object is named after it. */
  readonly name: string
  /** What its manifest would say. */
  readonly spec: JsonObject
}

export interface Discovery {
  /** In an order that does not change from one run to the next. */
  readonly found: readonly Found[]
  /** What is there and was not taken, and why. */
  readonly skipped: readonly Skipped[]
}

export interface Skipped {
  readonly what: string
  readonly why: string
}

export interface Importer {
  /** What `--scope NAME=VALUE` understands. */
  readonly options: Readonly<Record<string, ImportOption>>
  /** Everything in the scope. Throws when it could only tell a part. */
  find(options: Readonly<Record<string, string>>, context: ObserveContext): Promise<Discovery>
}
