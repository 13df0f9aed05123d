// Every object of the plane as a tree: by loop and kind, below each what it owns, with how it
// stands, why, and what it takes values from. Filters live in the address.

import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { Link, navigate, query } from "../../app/router.tsx"
import { Age } from "../../ui/age.tsx"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import { FilterBar } from "./filter-bar.tsx"
import { isEmpty, readFilter } from "./object-filter.ts"
import { objectPath, partsOf, type TreeRow } from "./object-row.ts"
import { type ObjectStore, rowsMax, useObjects } from "./object-store.ts"
import { buildTree, linesOf, type Tree, type TreeLine, type TreeNode } from "./object-tree.ts"
import { PausedBadge, StandingBadge, StandingCounts } from "./standing-badge.tsx"
import { type TreeColumn, TreeGrid } from "./tree-grid.tsx"

/** So many are shown open at first. */
const openMax = 300

export function ObjectsPage() {
  const asked = query.value.toString()
  const filter = useMemo(() => readFilter(new URLSearchParams(asked)), [asked])
  // Where all objects are too many, those of one loop may not be.
  const tooMany = useSignal(false)
  const store = useObjects(tooMany.value ? filter.loop : "")
  const version = store.version.value
  const state = store.state.value
  if (state.truncated && !tooMany.value) tooMany.value = true
  const tree = useMemo(() => buildTree(store.list(), store.kinds, filter), [version, filter])
  const open = useSignal<ReadonlyMap<string, boolean>>(new Map())
  const all = isEmpty(filter) ? store.rows.size : tree.matched
  const usual = (node: TreeNode, level: number) =>
    level === 1 || all <= openMax || (node.kind === "kind" && !isEmpty(filter))
  const lines = useMemo(() => linesOf(tree.roots, open.value, usual), [tree, open.value])
  const toggle = ({ node }: TreeLine, isOpen: boolean) => {
    open.value = new Map(open.value).set(node.id, isOpen)
  }
  return (
    <>
      <div class="page-head">
        <h1>Objects</h1>
        <Button tone="quiet" onClick={() => (open.value = everyNode(tree, true))}>
          Open all
        </Button>
        <Button tone="quiet" onClick={() => (open.value = everyNode(tree, false))}>
          Close all
        </Button>
      </div>
      <FilterBar store={store} tree={tree} filter={filter} />
      {state.fault === undefined ? null : <ErrorBox fault={state.fault} />}
      <Notes store={store} tree={tree} isFiltered={!isEmpty(filter)} />
      {lines.length === 0 ? null : (
        <TreeGrid
          label="Objects"
          lines={lines}
          columns={columnsFor(store)}
          onToggle={toggle}
          onOpen={({ node }) => navigate(objectPath(node.row?.key ?? ""))}
        />
      )}
    </>
  )
}

function everyNode({ roots }: Tree, isOpen: boolean): ReadonlyMap<string, boolean> {
  const chosen = new Map<string, boolean>()
  const visit = (nodes: readonly TreeNode[]) => {
    for (const { id, children } of nodes) {
      if (children.length === 0) continue
      chosen.set(id, isOpen)
      visit(children)
    }
  }
  visit(roots)
  return chosen
}

interface NotesProps {
  readonly store: ObjectStore
  readonly tree: Tree
  readonly isFiltered: boolean
}

function Notes({ store, tree, isFiltered }: NotesProps) {
  const { phase, truncated } = store.state.value
  const count = store.rows.size
  const all = count.toLocaleString("en")
  const of = isFiltered ? `${tree.matched.toLocaleString("en")} of ${all}` : all
  const text = `${of} ${count === 1 ? "object" : "objects"}`
  const most = rowsMax.toLocaleString("en")
  return (
    <>
      <p class="muted tree-note" role="status">
        {phase === "listing" && count === 0 ? "Asking for the objects…" : text}
        {truncated ? `. There are more than ${most}: choose a loop to see the others.` : ""}
      </p>
      {phase !== "listing" && count === 0 ? (
        <Empty title="No objects yet.">
          Objects come from a loop's source, or by <code>kubectl apply</code>.
        </Empty>
      ) : null}
      {count > 0 && tree.matched === 0 ? (
        <Empty title="No object matches.">
          <Button onClick={() => navigate("/objects", { replace: true })}>Show all</Button>
        </Empty>
      ) : null}
    </>
  )
}

const known = new WeakMap<ObjectStore, readonly TreeColumn[]>()

/** The same ones for the same store. */
function columnsFor(store: ObjectStore): readonly TreeColumn[] {
  const made = known.get(store) ?? columns(store)
  known.set(store, made)
  return made
}

const columns = (store: ObjectStore): readonly TreeColumn[] => [
  { id: "name", title: "Name", width: "34%", cell: (line) => <Name line={line} /> },
  {
    id: "standing",
    title: "Status",
    width: "11rem",
    cell: ({ node }) =>
      node.row === undefined ? (
        <StandingCounts counts={node.counts} />
      ) : (
        <>
          <StandingBadge row={node.row} /> <PausedBadge object={node.row.key} />
        </>
      ),
  },
  {
    id: "why",
    title: "Why",
    cell: ({ node: { row } }) => {
      if (row === undefined) return null
      // That it is as declared, its badge says.
      const reason = row.reason === "Converged" ? "" : (row.reason ?? "")
      const text = visible(row.message ?? reason)
      return (
        <span class="muted" title={text}>
          {text}
        </span>
      )
    },
  },
  {
    id: "refers",
    title: "Depends on",
    width: "18%",
    cell: ({ node: { row } }) => (row === undefined ? null : <Depends row={row} store={store} />),
  },
  {
    id: "since",
    title: "Since",
    width: "5.5rem",
    align: "right",
    cell: ({ node: { row } }) => (row?.since === undefined ? null : <Age time={row.since} />),
  },
]

function Name({ line: { node } }: { readonly line: TreeLine }) {
  if (node.row === undefined) {
    const objects = [...node.counts.values()].reduce((sum, one) => sum + one, 0)
    return (
      <>
        <span class={`tree-${node.kind}`}>{visible(node.label)}</span>
        <span class="count">{objects}</span>
      </>
    )
  }
  const { namespace } = node.row
  const own = (node.row.loop ?? "").startsWith(`${namespace}.`)
  return (
    <>
      <Link to={objectPath(node.row.key)} class="tree-object" title={visible(node.row.key)}>
        {visible(node.label)}
      </Link>
      {own || namespace === "" ? null : <span class="muted">{visible(namespace)}</span>}
      {node.children.length === 0 ? null : <span class="count">{node.children.length}</span>}
    </>
  )
}

interface DependsProps {
  readonly row: TreeRow
  readonly store: ObjectStore
}

/** Whom it takes values from, and its wave. What no provider keeps (a Secret) has no page. */
function Depends({ row: { refers = [], wave }, store }: DependsProps) {
  const [first, ...rest] = refers
  const name = first === undefined ? "" : visible(partsOf(first).name)
  const isKnown = first !== undefined && store.rows.has(first)
  const more = [
    ...(rest.length === 0 ? [] : [`and ${rest.length} more`]),
    ...(wave === undefined ? [] : [`wave ${wave}`]),
  ]
  return (
    <span title={visible(refers.join(", "))}>
      {isKnown ? <Link to={objectPath(first)}>{name}</Link> : name}
      {name === "" ? more.join(", ") : more.map((one) => `, ${one}`).join("")}
    </span>
  )
}
