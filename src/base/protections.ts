// The protections that can be switched off one at a time, so that a test can show that it fails
// without exactly that one ("twin"). Every site that asks `protects(name)` is the real code path.
// Nothing in `src` ever switches one off: `test/tidy` holds that only tests import `disarm`.

/** Name and what the real code does because of it. One line each, sorted. */
export const protections = {
  "guard-failure-denies": "a guard that throws denies instead of allowing",
} as const

export type Protection = keyof typeof protections

const disarmed = new Set<Protection>()

export function protects(name: Protection): boolean {
  return disarmed.size === 0 || !disarmed.has(name)
}

/** For twins only. Answers with the function that arms it again. */
export function disarm(name: Protection): () => void {
  disarmed.add(name)
  return () => void disarmed.delete(name)
}
