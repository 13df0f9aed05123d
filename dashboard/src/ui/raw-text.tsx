// A long text as it is, in a box that scrolls, also by keyboard.

import { visible } from "./visible.ts"

export function RawText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section
      class="raw"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys
      tabIndex={0}
    >
      <pre>{visible(text)}</pre>
    </section>
  )
}
