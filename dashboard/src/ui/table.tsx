// A table for few rows and for very many: only the rows in sight are in the page. Sorted by its
// headings; arrows go from row to row, Enter opens. Rows have one height, so that where a row is
// can be computed.

import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"

export interface Column<Row> {
  readonly id: string
  readonly title: string
  cell(row: Row): ComponentChildren
  /** By what the column sorts; without it, it does not. */
  sort?(row: Row): string | number
  readonly align?: "right"
  /** "12rem", "20%"; what is left is shared. */
  readonly width?: string
}

export interface TableProps<Row> {
  /** What the table shows, for those who can't see it. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  /** Enter or a click on the row. */
  onOpen?(row: Row): void
  readonly sortBy?: string
  readonly empty?: ComponentChildren
  /** Of the whole table; "60vh" when missing. */
  readonly height?: string
  /** Narrower than this it scrolls sideways. */
  readonly minWidth?: string
}

const rowPx = 36
const spareRows = 12

interface Sorting {
  readonly by: string
  readonly down: boolean
}

export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, keyOf } = props
  const sorting = useSignal<Sorting>({ by: props.sortBy ?? "", down: false })
  const top = useSignal(0)
  const tall = useSignal(800)
  const current = useSignal(0)
  const box = useRef<HTMLDivElement>(null)
  const sorted = useSorted(rows, columns, sorting.value)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const seen = new ResizeObserver(() => {
      tall.value = element.clientHeight
    })
    seen.observe(element)
    return () => seen.disconnect()
  }, [])
  if (rows.length === 0 && props.empty !== undefined) return <>{props.empty}</>
  const first = Math.max(0, Math.floor(top.value / rowPx) - spareRows)
  const last = Math.min(sorted.length, Math.ceil((top.value + tall.value) / rowPx) + spareRows)
  const at = Math.min(current.value, sorted.length - 1)
  const keys = (event: KeyboardEvent) => moveBy(event, { box, at, sorted, current, props })
  return (
    <section
      class="table-box"
      ref={box}
      style={{ maxHeight: props.height ?? "60vh" }}
      aria-label={props.label}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop
      }}
    >
      <table
        class="table"
        style={{ minWidth: props.minWidth ?? "36rem" }}
        aria-rowcount={sorted.length + 1}
        aria-label={props.label}
      >
        <Head columns={columns} sorting={sorting.value} onSort={(by) => sortOn(sorting, by)} />
        <tbody onKeyDown={keys}>
          <Spacer rows={first} columns={columns.length} />
          {sorted.slice(first, last).map((row, index) => (
            <tr
              key={keyOf(row)}
              aria-rowindex={first + index + 2}
              data-row={first + index}
              tabIndex={first + index === at ? 0 : -1}
              class={props.onOpen === undefined ? undefined : "row-open"}
              onFocus={() => {
                current.value = first + index
              }}
              onClick={(event) => {
                if (!isControl(event.target)) props.onOpen?.(row)
              }}
            >
              {columns.map((column) => (
                <td key={column.id} class={column.align === "right" ? "right" : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Spacer rows={sorted.length - last} columns={columns.length} />
        </tbody>
      </table>
    </section>
  )
}

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, input, select, summary") !== null

function sortOn(sorting: { value: Sorting }, by: string): void {
  sorting.value = { by, down: sorting.value.by === by && !sorting.value.down }
}

function useSorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { by, down }: Sorting,
): readonly Row[] {
  return useMemo(() => {
    const sort = columns.find((column) => column.id === by)?.sort
    if (sort === undefined) return rows
    const keyed = rows.map((row) => ({ row, key: sort(row) }))
    const sign = down ? -1 : 1
    keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0))
    return keyed.map(({ row }) => row)
  }, [rows, by, down])
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting
  onSort(by: string): void
}

function Head<Row>({ columns, sorting, onSort }: HeadProps<Row>) {
  const order = (id: string) =>
    sorting.by !== id ? undefined : sorting.down ? "descending" : "ascending"
  return (
    <thead>
      <tr>
        {columns.map(({ id, title, sort, align, width }) => (
          <th
            key={id}
            scope="col"
            aria-sort={order(id)}
            class={align === "right" ? "right" : undefined}
            style={width === undefined ? {} : { width }}
          >
            {sort === undefined ? (
              title
            ) : (
              <button type="button" class="sort" onClick={() => onSort(id)}>
                {title}
                <span class="sort-mark" aria-hidden="true" />
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows <= 0) return null
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${rows * rowPx}px` }} />
    </tr>
  )
}

interface Moving<Row> {
  readonly box: { readonly current: HTMLDivElement | null }
  readonly at: number
  readonly sorted: readonly Row[]
  readonly current: { value: number }
  readonly props: TableProps<Row>
}

function moveBy<Row>(event: KeyboardEvent, { box, at, sorted, current, props }: Moving<Row>): void {
  const page = Math.max(1, Math.floor((box.current?.clientHeight ?? rowPx) / rowPx) - 2)
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: sorted.length - 1,
  }
  if (event.key === "Enter" && !isControl(event.target)) {
    const row = sorted[at]
    if (row !== undefined) props.onOpen?.(row)
    return
  }
  const wanted = steps[event.key]
  if (wanted === undefined || isControl(event.target)) return
  event.preventDefault()
  const next = Math.max(0, Math.min(sorted.length - 1, wanted))
  current.value = next
  scrollTo(box.current, next)
  requestAnimationFrame(() => {
    box.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus({ preventScroll: true })
  })
}

function scrollTo(box: HTMLDivElement | null, row: number): void {
  if (box === null) return
  const head = box.querySelector("thead")?.clientHeight ?? 0
  const top = row * rowPx
  if (top < box.scrollTop) box.scrollTop = top
  const bottom = top + rowPx + head - box.clientHeight
  if (bottom > box.scrollTop) box.scrollTop = bottom
}
