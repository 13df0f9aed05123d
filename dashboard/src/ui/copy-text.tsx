// A text to be taken along whole, such as a hash, with a button that copies it.

import { useSignal } from "@preact/signals"
import { Button } from "./button.tsx"

export interface CopyTextProps {
  readonly text: string
  /** What it is, for the button: "the plan's hash". */
  readonly label: string
  readonly id?: string
}

export function CopyText({ text, label, id }: CopyTextProps) {
  const copied = useSignal(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      copied.value = true
      setTimeout(() => {
        copied.value = false
      }, 2000)
    } catch {} // Then it is selected by hand.
  }
  return (
    <span class="copy-text">
      <code id={id}>{text}</code>
      <Button tone="quiet" label={`Copy ${label}`} onClick={() => void copy()}>
        {copied.value ? "Copied" : "Copy"}
      </Button>
    </span>
  )
}
