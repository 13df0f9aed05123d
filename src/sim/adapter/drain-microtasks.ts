// The one place where the simulator lets the real event loop turn: an immediate runs only when
// every microtask, and every microtask those queued, has run. It must never wait for time or for
// I/O.

export function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
