// A titled part of a page.

import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

export interface CardProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Beside the title: counts, buttons. */
  readonly aside?: ComponentChildren
}

export function Card({ title, children, aside }: CardProps) {
  const heading = useId()
  return (
    <section class="card" aria-labelledby={heading}>
      <div class="card-head">
        <h2 id={heading}>{title}</h2>
        {aside === undefined ? null : <div class="card-aside">{aside}</div>}
      </div>
      {children}
    </section>
  )
}

export interface Fact {
  readonly name: string
  readonly value: ComponentChildren
}

/** Names and values, side by side. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
