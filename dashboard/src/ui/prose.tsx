// A sentence of the plane: what stands between backticks is a command or a name. Text, never
// markup.

import { visible } from "./visible.ts"

export function Prose({ text }: { readonly text: string }) {
  const parts = visible(text).split("`")
  // An odd mark is no pair.
  if (parts.length % 2 === 0) return <>{parts.join("`")}</>
  return (
    <>
      {parts.map((part, at) => {
        const key = `${at} ${part}`
        return at % 2 === 0 ? <span key={key}>{part}</span> : <code key={key}>{part}</code>
      })}
    </>
  )
}
