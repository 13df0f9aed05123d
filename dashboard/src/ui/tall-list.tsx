// A list of very many rows of different heights: only those in sight are in the page. Heights are
// guessed until a row was seen, then measured; what lies above keeps its place.

import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

export interface TallListProps {
  readonly label: string
  readonly count: number
  /** In pixels, before the row was seen. */
  guess(index: number): number
  row(index: number): ComponentChildren
  /** Rows from `first` to before `last` are in sight. */
  onRange?(first: number, last: number): void
  readonly height?: string
}

const sparePx = 600

/** Where rows begin, and which row is at a place. */
export class RowHeights {
  readonly #heights: number[] = []
  #tops: number[] = [0]

  constructor(count: number, guess: (index: number) => number) {
    for (let index = 0; index < count; index++) this.#heights.push(guess(index))
    this.#sum(0)
  }

  get total(): number {
    return this.#tops.at(-1) ?? 0
  }

  top(index: number): number {
    return this.#tops[index] ?? this.total
  }

  /** True when that moved anything. */
  measured(index: number, height: number): boolean {
    if (Math.abs((this.#heights[index] ?? 0) - height) < 1) return false
    this.#heights[index] = height
    this.#sum(index)
    return true
  }

  /** The row at this distance from the top. */
  at(px: number): number {
    let [low, high] = [0, Math.max(0, this.#heights.length - 1)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.top(middle) <= px) low = middle
      else high = middle - 1
    }
    return low
  }

  #sum(from: number): void {
    for (let index = from; index < this.#heights.length; index++) {
      this.#tops[index + 1] = (this.#tops[index] ?? 0) + (this.#heights[index] ?? 0)
    }
  }
}

export function TallList(props: TallListProps) {
  const { count, guess } = props
  const box = useRef<HTMLUListElement>(null)
  const heights = useRef<{ count: number; rows: RowHeights } | undefined>(undefined)
  if (heights.current?.count !== count) {
    heights.current = { count, rows: new RowHeights(count, guess) }
  }
  const { rows } = heights.current
  const top = useSignal(0)
  const tall = useSignal(600)
  const moved = useSignal(0)
  const held = useRef<number | undefined>(undefined)
  const first = rows.at(Math.max(0, top.value - sparePx))
  const last = count === 0 ? 0 : rows.at(top.value + tall.value + sparePx) + 1
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const seen = new ResizeObserver(() => {
      tall.value = element.clientHeight
    })
    seen.observe(element)
    return () => seen.disconnect()
  }, [])
  useEffect(() => props.onRange?.(first, last), [first, last, count])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const anchor = rows.at(element.scrollTop)
    const into = element.scrollTop - rows.top(anchor)
    let changed = false
    for (const item of element.querySelectorAll<HTMLElement>("[data-item]")) {
      const index = Number(item.dataset.item)
      if (rows.measured(index, item.offsetHeight)) changed = true
    }
    if (!changed) return
    moved.value++
    // The row at the top stays there, whatever the rows above it turned out to be.
    held.current = rows.top(anchor) + into
  })
  useLayoutEffect(() => {
    if (box.current !== null && held.current !== undefined) box.current.scrollTop = held.current
    held.current = undefined
  }, [moved.value])
  const indices = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at)
  return (
    <ul
      class="tall-list"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys
      tabIndex={0}
      aria-label={props.label}
      style={{ maxHeight: props.height ?? "70vh" }}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop
      }}
    >
      <li aria-hidden="true" class="tall-space" style={{ height: `${rows.top(first)}px` }} />
      {indices.map((index) => (
        <li key={index} data-item={index} aria-setsize={count} aria-posinset={index + 1}>
          {props.row(index)}
        </li>
      ))}
      <li
        aria-hidden="true"
        class="tall-space"
        style={{ height: `${rows.total - rows.top(last)}px` }}
      />
    </ul>
  )
}
