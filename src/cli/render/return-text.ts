// Checkpoints and rollbacks of a journal as sentences.

import type { JournalEvent } from "../../contract/journal.ts"

type ReturnEvent = Extract<JournalEvent, { readonly type: "checkpoint" | "rollback" }>

export function returnText(event: ReturnEvent, principal: string): string {
  const why = event.reason === undefined ? "" : `: ${event.reason}`
  const revision = event.revision === undefined ? "" : ` (revision ${event.revision.slice(0, 12)})`
  if (event.type === "checkpoint") {
    return `checkpoint ${event.name} ${event.change} by ${principal}${revision}${why}`
  }
  if (event.state === "ended") return `rollback to ${event.checkpoint} ended${why}`
  const short = event.revision?.slice(0, 12)
  const aside = short === undefined ? "" : `, source revision ${short} set aside`
  return `rolled back to ${event.checkpoint} by ${principal}${aside}${why}`
}
