// The page that the address names, inside the shell; the sign-in page when nobody is signed in.

import { useEffect } from "preact/hooks"
import { session } from "../live/session.ts"
import { SignInPage } from "../pages/sign-in/sign-in-page.tsx"
import { Empty } from "../ui/empty.tsx"
import { ErrorBoundary } from "./error-boundary.tsx"
import { findPage } from "./pages.ts"
import { Link, place } from "./router.tsx"
import { Shell } from "./shell.tsx"

export function App() {
  const { state } = session.value
  const found = findPage(place.value.path)
  const title = state === "out" ? "Sign in" : (found?.page.title ?? "No such page")
  useEffect(() => {
    document.title = `${title} · Setpoint`
  }, [title])
  if (state === "asking") return null
  if (state === "out") return <SignInPage />
  const Page = found?.page.component
  return (
    <Shell found={found}>
      {Page === undefined || found === undefined ? (
        <>
          <h1>No such page</h1>
          <Empty title="Nothing is at this address.">
            <Link to="/">To the overview</Link>
          </Empty>
        </>
      ) : (
        <ErrorBoundary key={place.value.path}>
          <Page params={found.params} />
        </ErrorBoundary>
      )}
    </Shell>
  )
}
