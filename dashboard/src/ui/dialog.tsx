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
  return (
    <dialog
      ref={element}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={heading}
      onClose={onClose}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}
