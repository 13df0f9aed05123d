// A watcher that writes down every event of its selection and goes on from the last revision it
// heard of whenever its connection ends. It never lists again: a gap must show.

import {
  isCollection,
  isOurs,
  keyOf,
  pathOfSelection,
  queryOf,
  storedOf,
  type Wired,
} from "./collections.ts"
import type { Seen, Selection, Watch } from "./history.ts"
import type { Wire } from "./wire.ts"

export interface FollowOptions {
  readonly name: string
  readonly selection: Selection
  readonly start: Watch["start"]
  readonly bookmarks: boolean
  /** Ask the server to end the stream after so many seconds, again and again. */
  readonly seconds?: number
}

interface Event {
  readonly type: Seen["type"]
  readonly object: Wired
}

export class Follower {
  readonly #wire: Wire
  readonly #options: FollowOptions
  readonly #seen: Seen[] = []
  readonly #end = new AbortController()
  #invoked = performance.now()
  #revision: number | undefined
  #done: Promise<void> | undefined
  connections = 0
  cut = false

  constructor(wire: Wire, options: FollowOptions) {
    this.#wire = wire
    this.#options = options
    if (typeof options.start === "number") this.#revision = options.start
  }

  get watch(): Watch {
    const { name, selection, start } = this.#options
    const { cut } = this
    return { name, selection, start, invoked: this.#invoked, seen: this.#seen, cut }
  }

  get newest(): number {
    return this.#seen.findLast(({ type }) => type !== "BOOKMARK")?.revision ?? 0
  }

  start(): void {
    this.#done = this.#run()
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const { start } = this.#options
      // A first state that broke off is no beginning: it is asked for again as a whole.
      const marked = this.#seen.some(({ type }) => type === "INITIAL-END")
      if (start === "state with an end mark" && !marked) this.#restart()
      const path = `${pathOfSelection(this.#options.selection)}?${this.#query()}`
      const line = (text: string) => this.#take(text)
      this.connections++
      await this.#wire
        .send({ method: "GET", path, line, signal: this.#end.signal })
        .then(({ status, text }) => {
          if (status !== 200 && status < 500) this.#fail(`${status} ${text}`)
        })
        .catch(() => {})
      // Nobody said where the first state ends, so nobody can tell where to go on.
      if (start === "state" && !this.#end.signal.aborted) this.cut = true
      if (start === "state") break
      if (!this.#end.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 150))
    }
  }

  #restart(): void {
    this.#seen.length = 0
    this.#revision = undefined
    this.#invoked = performance.now()
  }

  #query(): URLSearchParams {
    const { selection, bookmarks, seconds, start } = this.#options
    const query = queryOf(selection)
    query.set("watch", "true")
    if (bookmarks) query.set("allowWatchBookmarks", "true")
    if (seconds !== undefined) query.set("timeoutSeconds", String(seconds))
    if (this.#revision !== undefined) query.set("resourceVersion", String(this.#revision))
    else if (start === "state with an end mark") {
      query.set("sendInitialEvents", "true")
      query.set("resourceVersionMatch", "NotOlderThan")
    }
    return query
  }

  #take(text: string): void {
    const { type, object }: Event = JSON.parse(text)
    const { collection } = this.#options.selection
    if (type === "ERROR" || !isCollection(collection)) {
      this.#fail(text)
      return
    }
    const at = performance.now()
    const revision = Number(object.metadata.resourceVersion)
    if (type === "BOOKMARK") {
      const ends = object.metadata.annotations?.["k8s.io/initial-events-end"] === "true"
      this.#seen.push({ type: ends ? "INITIAL-END" : type, at, revision, key: "" })
    } else if (isOurs(object)) {
      const stored = storedOf(object)
      this.#seen.push({ type, at, revision, key: keyOf(collection, object), stored })
    }
    // The objects of a first state come in no order of revisions.
    const marked = this.#options.start !== "state with an end mark"
    if (marked || this.#seen.some((seen) => seen.type === "INITIAL-END")) {
      this.#revision = Math.max(this.#revision ?? 0, revision)
    }
  }

  #fail(text: string): void {
    const at = performance.now()
    this.#seen.push({ type: "ERROR", at, revision: this.#revision ?? 0, key: text })
  }
}
