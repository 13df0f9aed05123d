// A command to run in a terminal, with a button that copies it.

import { useSignal } from "@preact/signals"
import { Button } from "./button.tsx"

export function CopyCommand({ command }: { readonly command: string }) {
  const copied = useSignal(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command)
      copied.value = true
      setTimeout(() => {
        copied.value = false
      }, 2000)
    } catch {} // Then it is selected by hand.
  }
  return (
    <span class="copy-command">
      <code>{command}</code>
      <Button tone="quiet" label={`Copy: ${command}`} onClick={() => void copy()}>
        {copied.value ? "Copied" : "Copy"}
      </Button>
    </span>
  )
}
