// A state in one word: by colour, by word and by shape, so that none of them is needed to read it.

export type Tone = "good" | "busy" | "warn" | "bad" | "calm"

const shapes: Readonly<Record<Tone, string>> = {
  good: "M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6Z",
  busy: "M6 1.2a4.8 4.8 0 1 0 4.8 4.8H9.1A3.1 3.1 0 1 1 6 2.9Z",
  warn: "M6 .9 11.6 11H.4Z",
  bad: "M3.6.8h4.8l2.8 2.8v4.8l-2.8 2.8H3.6L.8 8.4V3.6Z",
  calm: "M1.2 4.9h9.6v2.2H1.2Z",
}

export interface BadgeProps {
  readonly tone: Tone
  readonly children: string
  readonly title?: string
}

export function Badge({ tone, children, title }: BadgeProps) {
  return (
    <span class={`badge badge-${tone}`} title={title}>
      <Shape tone={tone} />
      {children}
    </span>
  )
}

export function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg class={`shape shape-${tone}`} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d={shapes[tone]} />
    </svg>
  )
}
