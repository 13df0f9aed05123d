// Results that acts of all host kinds share. `failed` is a proof that nothing changed; whatever is
// not known is thrown, and the engine looks again before it does anything else.

import type { CommandResult } from "../../contract/commands.ts"
import type { Failure } from "../../contract/diagnosis.ts"
import type { ActResult } from "../../contract/provider.ts"

export const done = (note?: string): ActResult => ({
  kind: "done",
  ...(note === undefined ? {} : { note }),
})

export const failed = (cause: string, stuck = false, failure?: Failure): ActResult => ({
  ...{ kind: "failed", cause },
  ...(stuck ? { stuck } : {}),
  ...(failure === undefined ? {} : { failure }),
})

/** Somebody else was there first; nothing was changed. */
export const raced = (cause: string): ActResult => failed(cause, false, { class: "Conflict" })

/** The last line that a program complained with, or its exit code. */
export function complaintOf({ code, stderr }: CommandResult): string {
  const last = stderr.trim().split("\n").at(-1)?.trim() ?? ""
  return last === "" ? `exit code ${code}` : last.slice(0, 300)
}
