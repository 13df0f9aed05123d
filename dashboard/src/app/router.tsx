// Which page the address names. Patterns have parts by name (":loop") and one that takes the rest
// ("*key"); what stands in the address is decoded once, here. Filters and tabs live in the query,
// so that a reload or a link shows the same.

import { computed, signal } from "@preact/signals"
import type { ComponentChildren } from "preact"

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

const readPlace = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
})

export const place = signal<Place>(readPlace())
/** Of the query alone: `query.value.get("tab")`. */
export const query = computed(() => place.value.query)

window.addEventListener("popstate", () => {
  place.value = readPlace()
})

/** Goes to a page of ours; `replace` leaves no step to go back to. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to)
  else history.pushState(null, "", to)
  const before = place.peek().path
  place.value = readPlace()
  if (place.peek().path !== before) scrollTo(0, 0)
}

/** Sets one thing in the query and keeps the rest; "" takes it away. */
export function setQuery(name: string, value: string): void {
  const { path, query: before } = place.peek()
  const next = new URLSearchParams(before)
  if (value === "") next.delete(name)
  else next.set(name, value)
  const text = next.toString()
  navigate(text === "" ? path : `${path}?${text}`, { replace: true })
}

export type Params = Readonly<Record<string, string>>

/** Undefined when the path is not of this pattern. */
export function matchPath(pattern: string, path: string): Params | undefined {
  const [wanted, given] = [pattern, path].map((text) => text.split("/").filter((one) => one !== ""))
  const params: Record<string, string> = {}
  for (const [at, part] of (wanted ?? []).entries()) {
    if (part.startsWith("*")) {
      const rest = (given ?? []).slice(at)
      if (rest.length === 0) return undefined
      params[part.slice(1)] = rest.map(decode).join("/")
      return params
    }
    const value = given?.[at]
    if (value === undefined) return undefined
    if (part.startsWith(":")) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return wanted?.length === given?.length ? params : undefined
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The path of a pattern with these values. */
export function pathTo(pattern: string, params: Params): string {
  const parts = pattern.split("/").map((part) => {
    const value = params[part.slice(1)] ?? ""
    if (part.startsWith(":")) return encodeURIComponent(value)
    if (part.startsWith("*")) return value.split("/").map(encodeURIComponent).join("/")
    return part
  })
  return parts.join("/")
}

export interface LinkProps {
  readonly to: string
  readonly children: ComponentChildren
  readonly class?: string
  readonly current?: boolean
  readonly title?: string
}

export function Link({ to, children, current, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      aria-current={current === true ? "page" : undefined}
      onClick={(event) => {
        const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
        if (!plain) return
        event.preventDefault()
        navigate(to)
      }}
    >
      {children}
    </a>
  )
}
