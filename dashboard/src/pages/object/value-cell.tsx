// One value of a field: short at first, whole when asked for.

import { useSignal } from "@preact/signals"
import { shorten, shownValue } from "./shown-value.ts"

export function ValueCell({ value, name }: { readonly value: unknown; readonly name: string }) {
  const whole = useSignal(false)
  const { text, note } = shownValue(value)
  if (note) return <span class="muted">{text}</span>
  const short = shorten(text)
  return (
    <>
      <code class="value">{whole.value ? text : short.text}</code>
      {short.isShort ? (
        <button
          type="button"
          class="show-more"
          aria-expanded={whole.value}
          onClick={() => {
            whole.value = !whole.value
          }}
        >
          {whole.value ? "Less" : `All ${text.length} characters`}
          <span class="sr-only">{` of ${name}`}</span>
        </button>
      ) : null}
    </>
  )
}
