// Tabs as the keyboard expects them: arrows choose, Tab goes into the panel. Which one is open
// belongs to the page, so that it can stand in the address.

import type { ComponentChildren } from "preact"
import { useId, useRef } from "preact/hooks"

export interface Tab {
  readonly id: string
  readonly title: string
  readonly count?: number
  content(): ComponentChildren
}

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly open: string
  onOpen(id: string): void
}

export function Tabs({ label, tabs, open, onOpen }: TabsProps) {
  const base = useId()
  const list = useRef<HTMLDivElement>(null)
  const current = tabs.find((tab) => tab.id === open) ?? tabs[0]
  if (current === undefined) return null
  const move = (event: KeyboardEvent) => {
    const at = tabs.indexOf(current)
    const steps: Record<string, number> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const next = tabs[steps[event.key] ?? -1]
    if (next === undefined) return
    event.preventDefault()
    onOpen(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus()
  }
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab === current}
            aria-controls={`${base}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onOpen(tab.id)}
          >
            {tab.title}
            {tab.count === undefined ? null : <span class="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div
        class="tab-panel"
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-${current.id}`}
      >
        {current.content()}
      </div>
    </div>
  )
}
