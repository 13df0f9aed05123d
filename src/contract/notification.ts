// What people are told of without asking: alarms, which are true or not true at any moment, and the
// port through which a message leaves. A message changes no target, so a stop does not hold it.

import type { Secret } from "../base/secret.ts"

export const alarmTypes = [
  "Held",
  "Stalled",
  "Stopped",
  "InvariantBroken",
  "SourceFailing",
] as const
export type AlarmType = (typeof alarmTypes)[number]

/** Something that a person should know, for as long as it is so. */
export interface Alarm {
  /** The same trouble has the same key, over restarts too. */
  readonly key: string
  readonly type: AlarmType
  /** "default.site"; missing when it concerns all of them. */
  readonly loop?: string
  /** What it is about: a plan, an invariant, an object. */
  readonly subject: string
  readonly message: string
  /** Wall time. */
  readonly since: number
  /** The command that shows more. */
  readonly next: string
}

export interface OutgoingMessage {
  /** May hold a token. */
  readonly url: Secret<string>
  readonly contentType: string
  readonly body: string
  readonly headers: Readonly<Record<string, Secret<string>>>
  /** Signs the body: HMAC-SHA256 in the header setpoint-signature. */
  readonly signingKey?: Secret<string>
}

/** Resolves when the other side took it (2xx); rejects with a sentence that holds no secret. */
export type SendMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<void>
