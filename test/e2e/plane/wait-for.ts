// Waits for a condition with a generous deadline. A test never asserts a duration; when the
// deadline passes, the error says how far things had come.

/** `true` when it is so; otherwise the figure reached so far. */
export type Reached = boolean | string | number

export interface WaitOptions {
  readonly deadlineMs?: number
  readonly everyMs?: number
}

/** Milliseconds that it took. */
export async function waitFor(
  what: string,
  condition: () => Reached | Promise<Reached>,
  { deadlineMs = 60_000, everyMs = 15 }: WaitOptions = {},
): Promise<number> {
  const started = performance.now()
  for (;;) {
    const reached = await condition()
    const elapsed = performance.now() - started
    if (reached === true) return elapsed
    if (elapsed > deadlineMs) {
      throw new Error(`${what}: not within ${deadlineMs} ms; reached ${reached}`)
    }
    await pause(everyMs)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
