// Outside its windows, and in a freeze, a loop does not act; what a person approved waits as well,
// since the window says when and the approval says what.

import { type Guard, verdict } from "./guard.ts"

export const windowGuard: Guard = {
  name: "window",
  judge(_item, { window }) {
    if (window.open) return undefined
    const end = window.until === undefined ? "" : ` until ${new Date(window.until).toISOString()}`
    const message = `${window.reason}${end}`
    const hint = "it goes on by itself then; `setpoint break-glass` if it can't wait"
    return verdict("wait", { guard: "window", code: "Window", message, hint })
  },
}
