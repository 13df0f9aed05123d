// A client that writes and reads a few keys in every way there is, by dice that a seed rolls, and
// writes down what it asked, when, and what came back. It never tries again.

import {
  type Collection,
  collections,
  isOurs,
  keyOf,
  namespaces,
  ownerOf,
  pathOf,
  pathOfSelection,
  queryOf,
  storedOf,
  type Wired,
  wiredOf,
} from "./collections.ts"
import type { Random } from "./dice.ts"
import type { Change, Clear, Key, List, Operation, Selection, Stored, Write } from "./history.ts"
import type { Answer, Ask, Wire } from "./wire.ts"

interface Listed {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly Wired[]
}

const merge = "application/merge-patch+json"
const teams = ["a", "b"] as const

export class BusyClient {
  readonly operations: Operation[] = []
  /** Requests that were answered, pages each for itself. */
  answered = 0
  readonly #name: string
  readonly #wire: Wire
  readonly #dice: Random
  readonly #keys: readonly Key[]
  /** What it last saw of each key: what it swaps and tests against. */
  readonly #seen = new Map<Key, Stored>()
  #revision = 0

  constructor(name: string, wire: Wire, dice: Random, keys: readonly Key[]) {
    this.#name = name
    this.#wire = wire
    this.#dice = dice
    this.#keys = keys
  }

  /** One operation, whatever comes of it. */
  async step(): Promise<void> {
    const key = this.#dice.pick(this.#keys)
    const id = `${this.#name}-${this.operations.length}`
    const roll = this.#dice.below(100)
    if (roll < 25) await this.#read(id, key)
    else if (roll < 34) await this.#list(id, key.split("/")[0] === "gadgets")
    else if (roll < 37) await this.#clear(id, key)
    else await this.#write(id, key, this.#change(id, key, roll))
  }

  #change(id: string, key: Key, roll: number): Change {
    const seen = this.#seen.get(key)
    const own = { w: id, [this.#name]: id }
    const team = this.#dice.pick([...teams, undefined])
    const named = team === undefined ? {} : { team }
    const applied: Change = { kind: "apply", data: { w: id, [`${this.#name}-applied`]: id } }
    if (seen === undefined && roll < 50) return applied
    if (seen === undefined && roll < 55) return { kind: "merge", data: own, ...named }
    if (seen === undefined || roll < 42) {
      const owner = this.#dice.below(3) === 0 ? undefined : this.#seen.get(ownerOf(key))?.uid
      const goes = owner === undefined || key === ownerOf(key) ? {} : { owner }
      return { kind: "create", data: own, ...named, ...goes }
    }
    if (roll < 60) {
      const goes = seen.owner === undefined ? {} : { owner: seen.owner }
      const data = { ...seen.data, ...own }
      return { kind: "put", against: seen.revision, data, ...named, ...goes }
    }
    if (roll < 70) return { kind: "merge", data: own, ...named }
    if (roll < 78) return { kind: "json", test: seen.data.w ?? "", data: own }
    if (roll < 86) return applied
    if (roll < 89) return { kind: "touch" }
    if (roll < 93) return { kind: "delete", against: seen.revision, uid: seen.uid }
    return roll < 96 ? { kind: "delete", uid: seen.uid } : { kind: "delete" }
  }

  async #write(id: string, key: Key, change: Change): Promise<void> {
    const invoked = performance.now()
    const answer = await this.#try(asked(key, change, this.#name))
    const base = { what: "write", id, key, change, invoked, ...arrival(answer) } as const
    if (answer === undefined || answer.status >= 300) {
      if (answer?.status === 404) this.#seen.delete(key)
      this.operations.push(base)
      if (answer?.status === 409) await this.#read(`${id}-again`, key)
      return
    }
    const body = JSON.parse(answer.text)
    if (change.kind === "delete") {
      this.#seen.delete(key)
      this.operations.push({ ...base, deleted: body.details?.uid ?? "?" } satisfies Write)
      return
    }
    this.operations.push({ ...base, result: this.#saw(key, body) } satisfies Write)
  }

  async #read(id: string, key: Key): Promise<void> {
    const invoked = performance.now()
    const answer = await this.#try({ method: "GET", path: pathOf(key) })
    const base = { what: "read", id, key, invoked, ...arrival(answer) } as const
    if (answer?.status !== 200) {
      if (answer?.status === 404) this.#seen.delete(key)
      this.operations.push(base)
      return
    }
    this.operations.push({ ...base, result: this.#saw(key, JSON.parse(answer.text)) })
  }

  #saw(key: Key, wired: Wired): Stored {
    const stored = storedOf(wired)
    this.#seen.set(key, stored)
    this.#revision = Math.max(this.#revision, stored.revision)
    return stored
  }

  /** In pages or at once, of now or of a revision it saw; a page is asked for until it comes. */
  async #list(id: string, custom: boolean): Promise<void> {
    const collection: Collection = custom ? "gadgets" : "configmaps"
    const namespace = this.#dice.pick([...namespaces, undefined])
    const value = this.#dice.pick([...teams, undefined, undefined])
    const selection: Selection = {
      collection,
      ...(namespace === undefined ? {} : { namespace }),
      ...(value === undefined ? {} : { team: { is: this.#dice.below(2) === 0, value } }),
    }
    const query = queryOf(selection)
    const exact = this.#revision > 0 && this.#dice.below(3) === 0 ? this.#revision : undefined
    if (exact !== undefined) {
      query.set("resourceVersion", String(exact))
      query.set("resourceVersionMatch", "Exact")
    }
    if (this.#dice.below(2) === 0) query.set("limit", String(1 + this.#dice.below(3)))
    const invoked = performance.now()
    const revisions: number[] = []
    const items: [Key, Stored][] = []
    const asked = { selection, ...(exact === undefined ? {} : { exact }) }
    const done = (answer: Answer | undefined): List => ({
      ...{ what: "list", id, ...asked, invoked, revisions, items, ...arrival(answer) },
    })
    for (;;) {
      const path = `${pathOfSelection(selection)}?${query}`
      const answer = await this.#try({ method: "GET", path })
      if (answer === undefined && revisions.length > 0) continue
      if (answer?.status !== 200) return void this.operations.push(done(answer))
      const page: Listed = JSON.parse(answer.text)
      revisions.push(Number(page.metadata.resourceVersion))
      for (const item of page.items.filter(isOurs)) {
        items.push([keyOf(collection, item), storedOf(item)])
      }
      const more = page.metadata.continue
      if (more === undefined || more === "") return void this.operations.push(done(answer))
      query.set("continue", more)
      query.delete("resourceVersion")
      query.delete("resourceVersionMatch")
    }
  }

  async #clear(id: string, key: Key): Promise<void> {
    const [collection = "", namespace = ""] = key.split("/")
    const value = this.#dice.pick([...teams, undefined])
    const team = value === undefined ? {} : { team: { is: true, value } }
    const selection: Selection = { collection, namespace, ...team }
    const invoked = performance.now()
    const path = `${pathOfSelection(selection)}?${queryOf(selection)}`
    const answer = await this.#try({ method: "DELETE", path })
    const items: readonly Wired[] = answer?.status === 200 ? JSON.parse(answer.text).items : []
    const revisions = items.map(({ metadata }) => Number(metadata.resourceVersion))
    const gone = items.filter(isOurs).map((item): readonly [Key, Stored] => {
      const own = `${collection}/${item.metadata.namespace}/${item.metadata.name}`
      this.#seen.delete(own)
      return [own, storedOf(item)]
    })
    const clear: Clear = {
      ...{ what: "clear", id, selection, invoked, gone, revisions, ...arrival(answer) },
    }
    this.operations.push(clear)
  }

  async #try(ask: Ask): Promise<Answer | undefined> {
    try {
      const answer = await this.#wire.send(ask)
      this.answered++
      return answer
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 150))
      return undefined
    }
  }
}

function arrival(answer: Answer | undefined): { responded: number; status?: number } {
  // A gateway that says 503 or 504 does not know what became of it.
  if (answer === undefined || answer.status === 503 || answer.status === 504) {
    return { responded: Number.POSITIVE_INFINITY }
  }
  return { responded: performance.now(), status: answer.status }
}

function asked(key: Key, change: Change, manager: string): Ask {
  const path = pathOf(key)
  const query = `?fieldManager=${manager}`
  if (change.kind === "create") {
    const body = wiredOf(key, change.data, change)
    const collection = path.slice(0, path.lastIndexOf("/"))
    return { method: "POST", path: `${collection}${query}`, type: "application/json", body }
  }
  if (change.kind === "put") {
    const body = wiredOf(key, change.data, { ...change, revision: change.against })
    return { method: "PUT", path: `${path}${query}`, type: "application/json", body }
  }
  if (change.kind === "merge" || change.kind === "touch") {
    const { data, team } = change.kind === "touch" ? { data: {}, team: undefined } : change
    const labels = team === undefined ? {} : { metadata: { labels: { team } } }
    return { method: "PATCH", path: `${path}${query}`, type: merge, body: { ...labels, data } }
  }
  if (change.kind === "json") {
    const body = [
      { op: "test", path: "/data/w", value: change.test },
      ...Object.entries(change.data).map(([name, value]) => {
        return { op: "add", path: `/data/${name}`, value }
      }),
    ]
    return { method: "PATCH", path: `${path}${query}`, type: "application/json-patch+json", body }
  }
  if (change.kind === "apply") {
    const body = wiredOf(key, change.data)
    const type = "application/apply-patch+yaml"
    return { method: "PATCH", path: `${path}${query}-applies&force=true`, type, body }
  }
  const preconditions = {
    ...(change.uid === undefined ? {} : { uid: change.uid }),
    ...(change.against === undefined ? {} : { resourceVersion: String(change.against) }),
  }
  return { method: "DELETE", path, type: "application/json", body: { preconditions } }
}

export const keysOf = (perNamespace: number): Key[] =>
  Object.keys(collections).flatMap((collection) =>
    namespaces.flatMap((namespace) =>
      Array.from({ length: perNamespace }, (_, index) => `${collection}/${namespace}/k${index}`),
    ),
  )
