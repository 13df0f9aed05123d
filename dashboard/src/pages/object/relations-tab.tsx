// What the object is tied to: lists with links, and a small picture of the same.

import { Link, navigate } from "../../app/router.tsx"
import { Card } from "../../ui/card.tsx"
import { Empty } from "../../ui/empty.tsx"
import { visible } from "../../ui/visible.ts"
import { objectPath, partsOf, standingOf, standingText, toneOf } from "../objects/object-row.ts"
import { StandingBadge } from "../objects/standing-badge.tsx"
import type { ObjectView, RelationNode, Relations } from "./object-view.ts"
import { box, layOut } from "./relation-layout.ts"

export function RelationsTab({ view }: { readonly view: ObjectView }) {
  const { object, relations } = view
  const ties = relations.relations
  if (ties.length === 0) {
    return <Empty title="It is tied to no other object." />
  }
  const pick = (kind: "owns" | "refers", side: "from" | "to") => {
    const other = side === "from" ? "to" : "from"
    const own = ties.filter((tie) => tie.kind === kind && tie[other] === object)
    return own.map((tie) => ({ key: tie[side], field: tie.field }))
  }
  return (
    <>
      <Picture relations={relations} object={object} />
      {relations.cut ? <p class="muted">There are more than fit into the picture.</p> : null}
      <div class="cards">
        <Ties title="Owned by" ties={pick("owns", "from")} relations={relations} />
        <Ties title="Owns" ties={pick("owns", "to")} relations={relations} />
        <Ties title="Takes values from" ties={pick("refers", "to")} relations={relations} />
        <Ties title="Gives values to" ties={pick("refers", "from")} relations={relations} />
      </div>
    </>
  )
}

interface TiesProps {
  readonly title: string
  readonly ties: readonly { readonly key: string; readonly field: string | undefined }[]
  readonly relations: Relations
}

function Ties({ title, ties, relations }: TiesProps) {
  if (ties.length === 0) return null
  const nodes = new Map(relations.nodes.map((node) => [node.key, node]))
  return (
    <Card title={title}>
      <ul class="ties">
        {ties.map(({ key, field }) => {
          const node = nodes.get(key)
          return (
            <li key={key}>
              <ObjectLink node={node ?? { key }} />
              {field ? <code class="muted">{visible(field)}</code> : null}
              {node?.state === undefined ? null : (
                <StandingBadge row={{ ...node, state: node.state }} />
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** What no provider keeps, such as a Secret, has no page. */
function ObjectLink({ node }: { readonly node: RelationNode }) {
  const { type, name } = partsOf(node.key)
  const text = `${visible(node.kind ?? type)} ${visible(name)}`
  return node.state === undefined ? (
    <span>{text}</span>
  ) : (
    <Link to={objectPath(node.key)}>{text}</Link>
  )
}

interface PictureProps {
  readonly relations: Relations
  readonly object: string
}

/** The lists below it say the same in words. */
function Picture({ relations, object }: PictureProps) {
  const { nodes, edges, width, height } = layOut(relations)
  const label = `${nodes.length} objects that are tied together; the lists below name them.`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section class="picture" tabIndex={0} aria-label="Picture of the ties">
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
      >
        <defs>
          <marker
            id="tie"
            viewBox="0 0 8 8"
            refX="2"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8Z" />
          </marker>
        </defs>
        {edges.map(({ relation, path }) => (
          <path
            key={`${relation.kind} ${relation.from} ${relation.to}`}
            class={`tie tie-${relation.kind}`}
            d={path}
            marker-end="url(#tie)"
          />
        ))}
        {nodes.map(({ node, x, y }) => (
          <Box key={node.key} node={node} x={x} y={y} isOwn={node.key === object} />
        ))}
      </svg>
      <p class="muted picture-key">
        <span class="key-line" /> owns <span class="key-line key-dashed" /> gives a value
      </p>
    </section>
  )
}

interface BoxProps {
  readonly node: RelationNode
  readonly x: number
  readonly y: number
  readonly isOwn: boolean
}

const fits = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

function Box({ node, x, y, isOwn }: BoxProps) {
  const { type, name } = partsOf(node.key)
  const word = node.state === undefined ? undefined : standingOf({ ...node, state: node.state })
  const tone = word === undefined ? "calm" : toneOf(word)
  const under = `${node.kind ?? type}${word === undefined ? "" : ` · ${standingText(word)}`}`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the lists have links
    <g
      class={`tie-box tie-${tone}${isOwn ? " tie-own" : ""}`}
      transform={`translate(${x} ${y})`}
      onClick={() => {
        if (word !== undefined) navigate(objectPath(node.key))
      }}
    >
      <title>{visible(node.key)}</title>
      <rect width={box.width} height={box.height} rx="6" />
      <rect class="tie-bar" width="4" height={box.height} rx="2" />
      <text x="14" y="19">
        {fits(visible(name), 24)}
      </text>
      <text x="14" y="35" class="tie-under">
        {fits(visible(under), 28)}
      </text>
    </g>
  )
}
