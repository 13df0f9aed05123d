// Knows all objects of one resource of a plane elsewhere and tells what changed: lists, watches,
// and goes on where it was when the connection breaks or the server restarts. When the past is
// gone (410) it lists again and compares, so that no change and no delete is lost.

import { type Clock, sleep } from "../base/clock.ts"
import { type Fault, isFault, toFault } from "../base/faults.ts"
import type { Random } from "../base/random.ts"
import type { Client, ListOptions } from "../contract/client.ts"
import type { ApiObject, ResourceRef } from "../object/object.ts"

export interface RemoteInformerOptions {
  readonly client: Pick<Client, "list" | "watch">
  readonly clock: Clock
  readonly random: Random
  readonly resource: ResourceRef
  readonly selection?: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">
  /** Called after the informer knows of it. Must not throw. */
  onChange?(change: RemoteChange): void
}

export type RemoteChange =
  | { readonly kind: "put"; readonly object: ApiObject; readonly before: ApiObject | undefined }
  | { readonly kind: "delete"; readonly before: ApiObject }

const pageSize = 500
const pauseMs = 200
const pauseMaxMs = 30_000

export class RemoteInformer {
  readonly #options: RemoteInformerOptions
  readonly #objects = new Map<string, ApiObject>()
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #synced: Promise<void>
  #resolveSynced: () => void = () => {}
  #trouble: Fault | undefined
  #failures = 0
  /** Everything up to here is known; undefined when all has to be listed. */
  #version: string | undefined

  constructor(options: RemoteInformerOptions) {
    this.#options = options
    this.#synced = new Promise((resolve) => {
      this.#resolveSynced = resolve
    })
    this.#running = this.#run()
  }

  /** Resolves when every object that existed at the first list is known. */
  synced(): Promise<void> {
    return this.#synced
  }

  /** Why it is not following right now, if it is not. */
  trouble(): Fault | undefined {
    return this.#trouble
  }

  get(namespace: string, name: string): ApiObject | undefined {
    return this.#objects.get(`${namespace}/${name}`)
  }

  all(): IterableIterator<ApiObject> {
    return this.#objects.values()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list()
        this.#resolveSynced()
        this.#trouble = undefined
        await this.#watch(this.#version)
      } catch (error) {
        if (signal.aborted) return
        this.#trouble = toFault(error)
        // What can't be gone on with is listed again: gone, or nobody knows what is wrong.
        if (!isPassing(error)) this.#version = undefined
        await this.#pause()
      }
    }
  }

  async #pause(): Promise<void> {
    const { clock, random } = this.#options
    const most = Math.min(pauseMaxMs, pauseMs * 2 ** Math.min(this.#failures++, 10))
    await sleep(clock, most * (0.5 + random.next() / 2), this.#stop.signal)
  }

  async #list(): Promise<string> {
    const { client, resource, selection } = this.#options
    const gone = new Set(this.#objects.keys())
    let next: string | undefined
    let version = ""
    do {
      const page = next === undefined ? {} : { continue: next }
      const list = await client.list(resource, { ...selection, limit: pageSize, ...page })
      for (const object of list.items) {
        gone.delete(keyOf(object))
        this.#put(object)
      }
      version = list.resourceVersion
      next = list.continue
    } while (next !== undefined && next !== "")
    for (const key of gone) this.#delete(key)
    return version
  }

  async #watch(after: string): Promise<void> {
    const { client, resource, selection } = this.#options
    const options = { ...selection, resourceVersion: after, signal: this.#stop.signal }
    for await (const event of client.watch(resource, options)) {
      this.#failures = 0
      if (event.type === "BOOKMARK") {
        this.#version = event.resourceVersion
        continue
      }
      const { object } = event
      if (event.type === "DELETED") this.#delete(keyOf(object))
      else this.#put(object)
      this.#version = object.metadata.resourceVersion ?? this.#version
    }
  }

  #put(object: ApiObject): void {
    const key = keyOf(object)
    const before = this.#objects.get(key)
    if (before !== undefined && revisionOf(before) >= revisionOf(object)) return
    this.#objects.set(key, object)
    this.#options.onChange?.({ kind: "put", object, before })
  }

  #delete(key: string): void {
    const before = this.#objects.get(key)
    if (before === undefined) return
    this.#objects.delete(key)
    this.#options.onChange?.({ kind: "delete", before })
  }
}

const keyOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ""}/${metadata.name}`

const revisionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion ?? 0)

/** Trouble on the way, or of a server that starts or ends. */
function isPassing(error: unknown): boolean {
  return isFault(error) && [429, 502, 503, 504].includes(error.status)
}
