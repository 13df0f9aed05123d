// A page that fails shows that it failed; the shell around it, with Stop, stays. The failure is
// told to the console too, where tests find it.

import { Component, type ComponentChildren } from "preact"
import { RequestFault } from "../live/fault.ts"
import { ErrorBox } from "../ui/error-box.tsx"

export class ErrorBoundary extends Component<
  { readonly children: ComponentChildren },
  { readonly error?: Error }
> {
  static override getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidCatch(error: Error): void {
    console.error(error)
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const message = `this page failed: ${error.message}`
    return <ErrorBox fault={new RequestFault(0, { code: "dashboard", message })} />
  }
}
