// Keys, one at a time: from a terminal as they are pressed, from anything else as characters. When
// nobody is there to press any, the answer is "nobody", and the demo shows itself around.

import type { ReadStream } from "node:tty"

export interface Keys {
  /** The next key; undefined at the end of the input; "nobody" when no input ever came. */
  next(): Promise<string | undefined | "nobody">
  close(): void
}

const nobodyMs = 10_000
const waitingMax = 1000
/** Ctrl-C and Ctrl-D mean quit. */
const ends = new Set(["\u0003", "\u0004"])

/** `quit` is called for Ctrl-C and Ctrl-D, at once; other keys wait until they are asked for. */
export function readKeys(input: NodeJS.ReadStream | ReadStream, quit: () => void): Keys {
  const terminal = input.isTTY === true
  const waiting: string[] = []
  let wake: () => void = () => {}
  let ended = false
  let closed = false
  let pressed = false
  const onData = (chunk: Buffer | string) => {
    for (const key of chunk.toString()) {
      if (ends.has(key)) {
        ended = true
        quit()
      } else if (key.trim() !== "" && waiting.length < waitingMax) waiting.push(key)
    }
    pressed ||= waiting.length > 0
    wake()
  }
  const onEnd = () => {
    ended = true
    // A terminal that is gone presses nothing any more.
    if (terminal) quit()
    wake()
  }
  if (terminal) input.setRawMode(true)
  input.on("data", onData)
  input.on("end", onEnd)
  input.on("error", onEnd)
  input.resume()
  return {
    async next() {
      for (;;) {
        if (closed || (terminal && ended)) return undefined
        const key = waiting.shift()
        if (key !== undefined) return key
        if (ended) return pressed ? undefined : "nobody"
        const came = await new Promise<boolean>((resolve) => {
          const timer = pressed || terminal ? undefined : setTimeout(() => resolve(false), nobodyMs)
          wake = () => {
            clearTimeout(timer)
            resolve(true)
          }
        })
        if (!came && !closed) return "nobody"
      }
    },
    close() {
      if (closed) return
      if (terminal) input.setRawMode(false)
      input.off("data", onData)
      input.pause()
      closed = true
      wake()
    },
  }
}
