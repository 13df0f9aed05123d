// What is known about a target. An error is not an empty answer, and the types say so: only
// `absent` with its proof means that something is not there; everything doubtful is `unknown`.

import type { JsonObject } from "../base/json.ts"
import type { Failure } from "./diagnosis.ts"

export interface Present {
  readonly kind: "present"
  /** Facts in the shape of the spec; members the spec does not know are the target's own. */
  readonly value: JsonObject
  /** The compare-and-swap handle that is given back when acting (ETag, inode+mtime+hash ...). */
  readonly token: string
  /** Our in-band mark (an object UID) where the medium can carry one. */
  readonly mark?: string
  /** The name the target system gave, where identity is not derived. */
  readonly externalId?: string
  /** Seen in a list that was not complete: enough to know it, not to destroy anything of it. */
  readonly partial?: true
  /**
   * It has a form that only a create which is under way gives to it. With an intent to create it
   * that has no receipt it is ours, and is completed; without one this says nothing.
   */
  readonly unfinished?: true
  /** What others may want to know of it: becomes `status.outputs`. Facts, never wishes. */
  readonly outputs?: JsonObject
  /** As declared and not yet there (starting, backing off): Ready waits, and nothing is done. */
  readonly waiting?: Waiting
}

export interface Waiting {
  /** CamelCase, for machines. */
  readonly reason: string
  readonly message: string
  /** Looked at again after so many milliseconds; otherwise only when something wakes it. */
  readonly afterMs?: number
}

export interface Absent {
  readonly kind: "absent"
  /** Why we may believe it: "ENOENT in a readable directory", "404 with ETag of the list" ... */
  readonly proof: string
}

export interface Unknown {
  readonly kind: "unknown"
  readonly cause: string
  /** A permanent refusal (bad credentials, bad spec) rather than something that may pass. */
  readonly stuck?: boolean
  /** What is known besides the words. */
  readonly failure?: Failure
}

export type Observation = Present | Absent | Unknown

/** An observation with the instant (monotonic) at which its read began. */
export type Dated<T> = T & { readonly asOf: number }

export interface ListedItem extends Omit<Present, "kind"> {
  readonly identity: string
}

/** All targets of one scope. Without `complete`, a missing item is unknown, never absent. */
export interface Listing {
  readonly items: readonly ListedItem[]
  readonly complete: boolean
  /** Why it is not complete. */
  readonly cause?: string
  readonly failure?: Failure
  /** Proves completeness; compare-and-swap for batch acts only. */
  readonly token?: string
}

export const present = (
  value: JsonObject,
  token: string,
  rest: Pick<Present, "mark" | "externalId" | "unfinished" | "outputs" | "waiting"> = {},
): Present => ({ kind: "present", value, token, ...rest })

export const absent = (proof: string): Absent => ({ kind: "absent", proof })

export const unknown = (cause: string, stuck = false, failure?: Failure): Unknown => ({
  kind: "unknown",
  cause,
  ...(stuck ? { stuck } : {}),
  ...(failure === undefined ? {} : { failure }),
})
