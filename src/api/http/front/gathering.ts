// Small bodies on their way, before anybody knows who sends them: bounded in bytes and in time.
// What broke off is never handed on as if it were whole.

import type { Deadlines, Timed } from "../deadlines.ts"
import type { FrontRequest } from "./front-request.ts"

/** Of all that are not whole yet. */
const gatheringBytesMax = 64 * 1024 * 1024

/** How it ended: whole, too late, or cut off. */
export type Gathered = Buffer | "late" | "broken"

const ignore = () => {}

export class Gathering {
  readonly #deadlines: Deadlines
  #bytes = 0

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines
  }

  /** Undefined when too much is on its way already. */
  begin(
    request: FrontRequest,
    size: number,
    tell: (gathered: Gathered) => void,
  ): SmallBody | undefined {
    if (this.#bytes + size > gatheringBytesMax) return undefined
    this.#bytes += size
    const body = new SmallBody(request, size, tell, this)
    // Node holds requests of HTTP/1.1 to their time by itself.
    if (request.httpVersionMajor > 1) this.#deadlines.begin(body)
    return body
  }

  /** Of each body once. */
  leave(body: SmallBody): void {
    this.#bytes -= body.size
    if (body.due > 0) this.#deadlines.end(body)
  }
}

export class SmallBody implements Timed {
  readonly size: number
  /** 0 without a deadline of ours. */
  due = 0
  readonly #tell: (gathered: Gathered) => void
  readonly #gathering: Gathering
  #chunks: Buffer[] = []
  #received = 0
  #isOver = false

  constructor(
    request: FrontRequest,
    size: number,
    tell: (gathered: Gathered) => void,
    gathering: Gathering,
  ) {
    this.size = size
    this.#tell = tell
    this.#gathering = gathering
    request.on("error", ignore)
    request.on("data", (chunk) => this.#take(chunk))
    // Over HTTP/2 a body that breaks off ends as well, before or after its stream closes.
    request.on("end", () => this.#end(!request.aborted && this.#received === size))
  }

  expire(): void {
    if (this.stop()) this.#tell("late")
  }

  /** Nobody waits for it any more. False when it was over: only what came first counts. */
  stop(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#chunks = []
    this.#gathering.leave(this)
    return true
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return
    this.#received += chunk.byteLength
    this.#chunks.push(chunk)
  }

  #end(isWhole: boolean): void {
    const chunks = this.#chunks
    if (!this.stop()) return
    const [first] = chunks
    if (!isWhole) this.#tell("broken")
    else this.#tell(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks))
  }
}
