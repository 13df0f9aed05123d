// The dashboard's start.

import { render } from "preact"
import { App } from "./app/app.tsx"
import { loadOtherPages } from "./app/lazy-page.tsx"
import "./app/theme.ts"
import { keepSession } from "./live/session.ts"

const root = document.getElementById("app")
if (root !== null) {
  keepSession()
  render(<App />, root)
  setTimeout(loadOtherPages, 1000)
}
