// Stops waiting when the signal says so: a file system that hangs (a network mount) must not hang
// the caller. The call itself goes on; whoever makes further calls checks the signal first.

export function untilAborted<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error("cannot finish: the time for this call is over"))
    if (signal.aborted) {
      giveUp()
      return
    }
    signal.addEventListener("abort", giveUp, { once: true })
    task()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", giveUp))
  })
}
