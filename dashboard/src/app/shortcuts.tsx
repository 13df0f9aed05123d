// Keys: "g" and a letter goes to a page, "/" to the filter, "?" shows them all. Never while one
// types, and never with a key that the browser wants.

import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { openStop } from "../pages/stop/stop-dialog.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { pages } from "./pages.ts"
import { navigate } from "./router.tsx"

const shown = signal(false)
const chordMs = 1500

export function showKeys(): void {
  shown.value = true
}

export function useShortcuts(): void {
  useEffect(() => {
    let chordUntil = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector("dialog[open]") !== null) return
      const isChord = performance.now() < chordUntil
      chordUntil = 0
      if (isChord) {
        const page = pages.find(({ nav }) => nav?.key === event.key)
        if (page !== undefined) navigate(page.pattern)
      } else if (event.key === "g") chordUntil = performance.now() + chordMs
      else if (event.key === "?") showKeys()
      else if (event.key === "!") openStop()
      else if (event.key === "/" && focusFilter()) event.preventDefault()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [])
}

/** The first field of the page for searching. */
function focusFilter(): boolean {
  const field = document.querySelector<HTMLElement>("main input[type=search]")
  field?.focus()
  return field !== null
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input, textarea, select, [contenteditable=true]") !== null

export function KeysDialog() {
  if (!shown.value) return null
  const close = () => {
    shown.value = false
  }
  const rows = [
    ...pages.flatMap(({ nav }) =>
      nav === undefined ? [] : [[`g ${nav.key}`, nav.label] as const],
    ),
    ["/", "Filter or search on this page"] as const,
    ["!", "Stop or resume"] as const,
    ["arrows, Enter", "In a table: from row to row, open"] as const,
    ["Esc", "Close what is open"] as const,
    ["?", "These keys"] as const,
  ]
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys">
        {rows.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="dialog-actions">
        <button type="submit" class="button button-plain">
          Close
        </button>
      </form>
    </Dialog>
  )
}
