// Entries of the journal that are there for the books, in one line each.

import type { JournalEvent } from "../../contract/journal.ts"
import { parseKeyText } from "../../object/object.ts"

type BookEvent = Extract<JournalEvent, { type: "round" | "states" | "plane" | "dropped" }>

const namesShown = 3

export function bookText(event: BookEvent): string {
  switch (event.type) {
    case "plane":
      return `the plane ${event.state === "start" ? "started" : "stopped"} (epoch ${event.epoch})`
    case "dropped":
      return `dropped entries ${event.from} to ${event.to}, which were older than is kept`
    case "round": {
      const { set, counts } = event.inputs
      const verdicts = Object.entries(counts.verdicts).map(([kind, count]) => `${count} ${kind}`)
      const codes = [...new Set(event.verdicts.flatMap((one) => one.codes))]
      const why = codes.length === 0 ? "" : ` (${codes.slice(0, namesShown).join(", ")})`
      const what = set === "deletes" ? "a set of deletes" : "a round"
      return `judged ${what} of ${counts.actions}: ${verdicts.join(", ")}${why}`
    }
    case "states": {
      const outs = event.out?.map((one) => one.object) ?? []
      const back = [...(event.in ?? []), ...(event.first ?? [])]
      const parts = [
        outs.length === 0 ? "" : `not as declared: ${names(outs)}`,
        back.length === 0 ? "" : `as declared: ${names(back)}`,
        event.gone === undefined ? "" : `gone: ${names(event.gone)}`,
        event.blind === undefined ? "" : `can't be listed: ${event.blind.join(", ")}`,
        event.seen === undefined ? "" : `can be listed again: ${event.seen.join(", ")}`,
      ]
      return parts.filter(Boolean).join("; ")
    }
  }
}

function names(keys: readonly string[]): string {
  const shown = keys.slice(0, namesShown).map((key) => {
    const { resource, name } = parseKeyText(key)
    return `${resource}/${name}`
  })
  const more = keys.length - shown.length
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
