// The reference: a file that records are appended to, with the same group commit as the store (one
// batch under way, the rest waits) and fdatasync before anything is acknowledged. It has no
// revisions, index, reads, checks or watches: it is the limit, not a competitor.

import { close, fdatasync, open, write } from "node:fs"
import { promisify } from "node:util"
import { deferred } from "../../src/base/async.ts"

const maxBatch = 1024
const openFile = promisify(open)
const closeFile = promisify(close)
const syncFile = promisify(fdatasync)

export class RawLog {
  readonly #handle: number
  #waiting: { record: Uint8Array; done: () => void }[] = []
  #running = false
  #at = 0

  private constructor(handle: number) {
    this.#handle = handle
  }

  static async open(path: string): Promise<RawLog> {
    return new RawLog(await openFile(path, "w"))
  }

  append(record: Uint8Array): Promise<void> {
    const answer = deferred<void>()
    this.#waiting.push({ record, done: () => answer.resolve() })
    if (!this.#running) void this.#run()
    return answer.promise
  }

  close(): Promise<void> {
    return closeFile(this.#handle)
  }

  async #run(): Promise<void> {
    this.#running = true
    await null
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, maxBatch)
      this.#waiting = this.#waiting.slice(batch.length)
      const bytes = Buffer.concat(batch.map((entry) => entry.record))
      await this.#write(bytes)
      await syncFile(this.#handle)
      for (const entry of batch) entry.done()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#running = false
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const count = await new Promise<number>((resolve, reject) => {
        write(this.#handle, bytes, from, bytes.length - from, this.#at, (error, written) =>
          error === null ? resolve(written) : reject(error),
        )
      })
      from += count
      this.#at += count
    }
  }
}
