// The lines of a tree as a treegrid: only those in sight are in the page. Up and down go from line
// to line, right opens and goes in, left closes and goes out, Enter opens the page of an object.

// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a treegrid is a table
// biome-ignore-all lint/a11y/noRedundantRoles: in a table that is a treegrid, browsers drop them
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus goes from row to row
// biome-ignore-all lint/a11y/noAriaHiddenOnFocusable: a spacer is no row, and takes no focus

import { useSignal } from "@preact/signals"
import { type ComponentChildren, h } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { TreeLine } from "./object-tree.ts"
import { type TreeMove, treeMove } from "./tree-keys.ts"

export interface TreeColumn {
  readonly id: string
  readonly title: string
  readonly width?: string
  readonly align?: "right"
  cell(line: TreeLine): ComponentChildren
}

export interface TreeGridProps {
  readonly label: string
  readonly lines: readonly TreeLine[]
  /** The first one has the lines' names and marks. */
  readonly columns: readonly TreeColumn[]
  onToggle(line: TreeLine, open: boolean): void
  onOpen(line: TreeLine): void
}

const rowPx = 32
const spareRows = 12

export function TreeGrid(props: TreeGridProps) {
  const { lines, columns } = props
  const box = useRef<HTMLDivElement>(null)
  const { top, from, to } = useSight(box, lines.length)
  /** By its name: lines come and go above it. */
  const current = useSignal("")
  const last = useRef(0)
  const indexes = useMemo(() => new Map(lines.map(({ node }, at) => [node.id, at])), [lines])
  const at = indexes.get(current.value) ?? Math.min(last.current, lines.length - 1)
  last.current = Math.max(0, at)
  // By Tab one comes to the line where one was, or to the first in sight when that is far away.
  const reachable = at >= from && at < to ? at : from
  const draw = useDrawing(props, (id) => {
    current.value = id
  })
  const go = (next: number) => {
    const line = lines[next]
    if (line === undefined) return
    current.value = line.node.id
    scrollTo(box.current, next)
    requestAnimationFrame(() => {
      const row = box.current?.querySelector<HTMLElement>(`[data-line="${next}"]`)
      row?.focus({ preventScroll: true })
    })
  }
  const onKey = (event: KeyboardEvent) => {
    const line = lines[at]
    if (line === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    // A link in a line is its own: Enter follows it.
    if (event.key === "Enter" && isControl(event.target)) return
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? rowPx) / rowPx) - 2)
    const move = treeMove(event.key, lines, at, page)
    if (move === undefined) return
    event.preventDefault()
    perform(move, line, go, props)
  }
  const inSight = lines.slice(from, to)
  return (
    <div
      class="table-box tree-box"
      ref={box}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop
      }}
    >
      <table
        class="table tree"
        role="treegrid"
        aria-label={props.label}
        aria-rowcount={lines.length + 1}
      >
        <Head columns={columns} />
        <tbody role="rowgroup" onKeyDown={onKey}>
          <Spacer lines={from} columns={columns.length} />
          {inSight.map((line, index) => draw(line, from + index, from + index === reachable))}
          <Spacer lines={lines.length - to} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}

/** Which lines are to be in the page: those in sight and some around them. */
function useSight(box: { readonly current: HTMLDivElement | null }, count: number) {
  const top = useSignal(0)
  const tall = useSignal(800)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const seen = new ResizeObserver(() => {
      tall.value = element.clientHeight
    })
    seen.observe(element)
    return () => seen.disconnect()
  }, [])
  const from = Math.max(0, Math.floor(top.value / rowPx) - spareRows)
  const to = Math.min(count, Math.ceil((top.value + tall.value) / rowPx) + spareRows)
  return { top, from, to }
}

interface Drawn {
  readonly line: TreeLine
  readonly index: number
  readonly isCurrent: boolean
  readonly shown: ComponentChildren
}

/** A line that is as it was is not drawn again: scrolling draws only what comes into sight. */
function useDrawing(props: TreeGridProps, onFocus: (id: string) => void) {
  const latest = useRef(props)
  latest.current = props
  const before = useRef(new Map<string, Drawn>())
  const now = new Map<string, Drawn>()
  useEffect(() => {
    before.current = now
  })
  return (line: TreeLine, index: number, isCurrent: boolean): ComponentChildren => {
    const { id } = line.node
    const old = before.current.get(id)
    const same = old !== undefined && old.index === index && old.isCurrent === isCurrent
    const { columns } = props
    const make = () =>
      h(Line, { key: id, line, index, isCurrent, columns, latest, onFocus: () => onFocus(id) })
    const shown = same && isSame(old.line, line) ? old.shown : make()
    now.set(id, { line, index, isCurrent, shown })
    return shown
  }
}

function Head({ columns }: Pick<TreeGridProps, "columns">) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map(({ id, title, width, align }) => (
          <th
            key={id}
            role="columnheader"
            scope="col"
            class={align === "right" ? "right" : undefined}
            style={width === undefined ? {} : { width }}
          >
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function perform(move: TreeMove, line: TreeLine, go: (to: number) => void, props: TreeGridProps) {
  if (move.kind === "go") go(move.to)
  else if (move.kind === "toggle") props.onToggle(line, move.open)
  else if (line.node.kind === "object") props.onOpen(line)
  else if (line.open !== undefined) props.onToggle(line, !line.open)
}

/** Trees are built anew with every change; most of their lines say the same. */
function isSame(one: TreeLine, other: TreeLine): boolean {
  if (one === other) return true
  const { node } = other
  return (
    node.kind === "object" &&
    one.node.row === node.row &&
    one.node.aside === node.aside &&
    one.node.children.length === node.children.length &&
    one.level === other.level &&
    one.position === other.position &&
    one.size === other.size &&
    one.open === other.open
  )
}

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, input, select") !== null

interface LineProps {
  readonly line: TreeLine
  readonly index: number
  readonly isCurrent: boolean
  readonly columns: readonly TreeColumn[]
  /** What the grid was given last: a line may have been drawn long before. */
  readonly latest: { readonly current: TreeGridProps }
  onFocus(): void
}

function Line({ line, index, isCurrent, columns, latest, onFocus }: LineProps) {
  const { node, level, position, size, open } = line
  const [first, ...rest] = columns
  const toggle = () => {
    if (open !== undefined) latest.current.onToggle(line, !open)
  }
  // For the mouse: keys do it by arrows, and the row says whether it is open.
  const toggleOnly = (event: MouseEvent) => {
    event.stopPropagation()
    toggle()
  }
  return (
    <tr
      role="row"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={open}
      aria-rowindex={index + 2}
      data-line={index}
      data-kind={node.kind}
      class={node.aside ? "tree-aside row-open" : "row-open"}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onClick={(event) => {
        if (isControl(event.target)) return
        if (node.kind === "object") latest.current.onOpen(line)
        else toggle()
      }}
    >
      <td role="gridcell">
        <span class="tree-name" style={{ paddingLeft: `${(level - 1) * 1.15}rem` }}>
          {open === undefined ? (
            <span class="tree-mark" />
          ) : (
            <span class="tree-mark" aria-hidden="true" onClick={toggleOnly}>
              <svg viewBox="0 0 10 10" aria-hidden="true" class={open ? "is-open" : undefined}>
                <path d="M3 1.5 7 5 3 8.5" />
              </svg>
            </span>
          )}
          {first?.cell(line)}
        </span>
      </td>
      {rest.map((column) => (
        <td key={column.id} role="gridcell" class={column.align === "right" ? "right" : undefined}>
          {column.cell(line)}
        </td>
      ))}
    </tr>
  )
}

function Spacer({ lines, columns }: { readonly lines: number; readonly columns: number }) {
  if (lines <= 0) return null
  return (
    <tr aria-hidden="true" class="spacer">
      <td colSpan={columns} style={{ height: `${lines * rowPx}px` }} />
    </tr>
  )
}

function scrollTo(box: HTMLDivElement | null, line: number): void {
  if (box === null) return
  const head = box.querySelector("thead")?.clientHeight ?? 0
  const above = line * rowPx
  if (above < box.scrollTop) box.scrollTop = above
  const below = above + rowPx + head - box.clientHeight
  if (below > box.scrollTop) box.scrollTop = below
}
