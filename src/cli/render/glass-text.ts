// A break-glass in the journal as a sentence.

import type { JournalEvent } from "../../contract/journal.ts"

type GlassEvent = Extract<JournalEvent, { readonly type: "break-glass" }>

export function glassText({ state, until, deletes, reason }: GlassEvent, by: string): string {
  if (state === "broken") {
    const bounds = `until ${until ?? "?"}, at most ${deletes} destroyed`
    return `BREAK-GLASS by ${by}, ${bounds}: ${reason}`
  }
  const how = state === "ended" ? `ended by ${by}` : "is over"
  return `break-glass ${how}; ${deletes} destroyed under it (${reason})`
}
