// Pages that are fetched when they are first looked at, so that the first one is there at once. The
// others follow in idle time, so that they are there when the plane is not.

import { signal } from "@preact/signals"
import type { ComponentChild } from "preact"
import { useEffect } from "preact/hooks"
import { type RequestFault, toRequestFault } from "../live/fault.ts"
import { Button } from "../ui/button.tsx"
import { ErrorBox } from "../ui/error-box.tsx"
import type { Params } from "./router.tsx"

export interface PageProps {
  readonly params: Params
}

export type PageComponent = (props: PageProps) => ComponentChild

const waiting: (() => Promise<void>)[] = []

export function lazyPage(load: () => Promise<PageComponent>): PageComponent {
  const loaded = signal<{ readonly page?: PageComponent; readonly fault?: RequestFault }>({})
  const fetchPage = async () => {
    if (loaded.peek().page !== undefined) return
    try {
      loaded.value = { page: await load() }
    } catch (error) {
      loaded.value = { fault: toRequestFault(error) }
    }
  }
  waiting.push(fetchPage)
  return function LazyPage(props) {
    useEffect(() => void fetchPage(), [])
    const { page: Page, fault } = loaded.value
    if (Page !== undefined) return <Page {...props} />
    return fault === undefined ? null : <NotLoaded fault={fault} />
  }
}

/** After an update of the plane its pages have other names; a reload finds them. */
function NotLoaded({ fault }: { readonly fault: RequestFault }) {
  return (
    <>
      <h1>This page could not be loaded</h1>
      <ErrorBox fault={fault} />
      <Button onClick={() => location.reload()}>Reload</Button>
    </>
  )
}

/** One after the other, while nothing else is to be done. */
export function loadOtherPages(): void {
  const next = waiting.shift()
  if (next !== undefined) requestIdleCallback(() => void next().then(loadOtherPages))
}
