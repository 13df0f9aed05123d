// Views of the plane that are asked for again and again: /setpoint/v1/status every second, which
// tells the plane's revision, and others when that revision moved, or after a while. What was shown
// stays while the plane does not answer. One request per view at a time; hidden pages rest.

import { type Signal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { type RequestFault, toRequestFault } from "./fault.ts"
import { ask } from "./request.ts"
import { session } from "./session.ts"
import type { StatusView } from "./status.ts"

export interface View<T> {
  readonly data: T | undefined
  readonly fault: RequestFault | undefined
  /** When `data` was read; 0 = never. */
  readonly at: number
}

export interface LiveView<T> {
  readonly view: Signal<View<T>>
  /** Ask at once, after something was done. */
  refresh(): Promise<void>
}

interface Row {
  readonly live: LiveView<unknown>
  readonly everyMs: number
  readonly always: boolean
  users: number
  revision: number
  at: number
  running: Promise<void> | undefined
}

const tickMs = 250
const statusMs = 1000
const leastMs = 1000
const slowMs = 15_000
/** Asked with every change of the plane, but not more often than this. */
const rows = new Map<string, Row>()

export const statusPath = "/setpoint/v1/status"

function rowOf(path: string, options: ViewOptions): Row {
  const known = rows.get(path)
  if (known !== undefined) return known
  const view = signal<View<unknown>>({ data: undefined, fault: undefined, at: 0 })
  const row: Row = {
    live: { view, refresh: () => read(path, row) },
    everyMs: path === statusPath ? statusMs : (options.everyMs ?? leastMs),
    always: path === statusPath || options.always === true,
    ...{ users: 0, revision: -1, at: Number.NEGATIVE_INFINITY, running: undefined },
  }
  rows.set(path, row)
  return row
}

export interface ViewOptions {
  /** At most this often; a second when missing. */
  readonly everyMs?: number
  /** Also when the plane's revision did not move: for what is not in the store, such as logs. */
  readonly always?: boolean
}

function read(path: string, row: Row): Promise<void> {
  row.running ??= readOnce(path, row).finally(() => {
    row.running = undefined
  })
  return row.running
}

async function readOnce(path: string, row: Row): Promise<void> {
  const { view } = row.live
  row.at = performance.now()
  row.revision = planeRevision()
  try {
    const data = await ask<unknown>(path)
    const before = view.peek()
    const same = JSON.stringify(before.data) === JSON.stringify(data)
    const at = Date.now()
    view.value = { data: same ? before.data : data, fault: undefined, at }
  } catch (error) {
    view.value = { ...view.peek(), fault: toRequestFault(error) }
  }
}

function planeRevision(): number {
  const data = rows.get(statusPath)?.live.view.peek().data as StatusView | undefined
  return data?.revision ?? -1
}

function tick(): void {
  if (document.hidden || session.peek().state !== "in") return
  const now = performance.now()
  const revision = planeRevision()
  for (const [path, row] of rows) {
    if (row.users === 0 || row.running !== undefined) continue
    const age = now - row.at
    const moved = row.always || row.revision !== revision || row.live.view.peek().fault
    if (age >= (moved ? row.everyMs : slowMs)) void read(path, row)
  }
}

setInterval(tick, tickMs)
document.addEventListener("visibilitychange", tick)

const keptRows = 64

/** Kept up to date until `close`. */
export function openView<T>(path: string, options: ViewOptions = {}): LiveView<T> & Closable {
  const row = rowOf(path, options)
  row.users++
  if (row.users === 1 && row.running === undefined) void read(path, row)
  let open = true
  const close = () => {
    if (open) row.users--
    open = false
    // What was seen stays for whoever comes back, but not without end.
    for (const [old, { users }] of rows) {
      if (rows.size <= keptRows) break
      if (users === 0) rows.delete(old)
    }
  }
  return { ...(row.live as LiveView<T>), close }
}

export interface Closable {
  close(): void
}

/** Of a component: `useView<PlansView>("/setpoint/v1/plans").view.value.data`. */
export function useView<T>(path: string, options: ViewOptions = {}): LiveView<T> {
  const live = useMemo(() => rowOf(path, options).live as LiveView<T>, [path])
  useEffect(() => openView<T>(path, options).close, [path])
  return live
}

/** All views that anybody looks at, now: after a decision was made. */
export async function refreshViews(): Promise<void> {
  const used = [...rows].filter(([, row]) => row.users > 0)
  await Promise.all(used.map(([path, row]) => read(path, row)))
}
