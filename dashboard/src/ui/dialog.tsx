// A dialog of the browser's own: it keeps the focus inside, Escape closes it, and the focus goes
// back to where it was.

import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly wide?: boolean
  onClose(): void
}

export function Dialog({ title, children, wide = false, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  // The browser hides the dialog some milliseconds before it says "close". Who opens it again in
  // between must not have it closed by that, so Escape closes here, and what is gone stays silent.
  const cancel = (event: Event) => {
    event.preventDefault()
    onClose()
  }
  const closed = () => {
    if (element.current !== null) onClose()
  }
  return (
    <dialog
      ref={element}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={heading}
      onCancel={cancel}
      onClose={closed}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}
