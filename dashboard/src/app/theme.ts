// Dark or light: as the system says, or as was chosen here, remembered in this browser alone.

import { effect, signal } from "@preact/signals"

export type Theme = "system" | "light" | "dark"

const name = "setpoint-theme"
const order: readonly Theme[] = ["system", "light", "dark"]

export const theme = signal<Theme>(readTheme())

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(name)
    return order.find((one) => one === kept) ?? "system"
  } catch {
    return "system" // A browser may refuse to keep anything.
  }
}

export function nextTheme(): void {
  const next = order[(order.indexOf(theme.peek()) + 1) % order.length]
  theme.value = next ?? "system"
}

effect(() => {
  document.documentElement.dataset.theme = theme.value
  try {
    localStorage.setItem(name, theme.value)
  } catch {}
})
