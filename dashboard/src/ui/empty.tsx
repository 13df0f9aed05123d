// What a page says instead of a list without rows: why there are none, and what would make some.

import type { ComponentChildren } from "preact"

export interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <div class="muted">{children}</div>}
    </div>
  )
}
