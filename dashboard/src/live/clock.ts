// The time of day as a signal, once a second while anybody looks: what shows ages redraws together.

import { signal } from "@preact/signals"

export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1000)

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) now.value = Date.now()
})
