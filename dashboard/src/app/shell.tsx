// What is around every page: the plane and how the connection to it stands, the navigation, Stop
// always in sight, and the alarms that no page may hide.

import type { ComponentChildren } from "preact"
import { session, signOut } from "../live/session.ts"
import { planeStatus } from "../live/status.ts"
import { StopBanner } from "../pages/stop/stop-banner.tsx"
import { StopButton } from "../pages/stop/stop-dialog.tsx"
import { Button } from "../ui/button.tsx"
import { ConnectionBanner, ConnectionState } from "./connection.tsx"
import { Mark } from "./mark.tsx"
import { type FoundPage, pages } from "./pages.ts"
import { Link } from "./router.tsx"
import { KeysDialog, showKeys, useShortcuts } from "./shortcuts.tsx"
import { nextTheme, theme } from "./theme.ts"

export interface ShellProps {
  readonly found: FoundPage | undefined
  readonly children: ComponentChildren
}

export function Shell({ found, children }: ShellProps) {
  useShortcuts()
  return (
    <div class="shell">
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <Header />
      <Navigation found={found} />
      <div class="column">
        <ConnectionBanner />
        <StopBanner />
        <main id="page" tabIndex={-1}>
          {children}
        </main>
      </div>
      <KeysDialog />
    </div>
  )
}

function Header() {
  const status = planeStatus().value.data
  const user = session.value.user
  const themeText = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }
  return (
    <header class="header">
      <Link to="/" class="brand">
        <Mark />
        <span>Setpoint</span>
      </Link>
      <span class="plane" title={status?.plane}>
        {status === undefined ? "" : `plane ${status.plane.slice(0, 8)}`}
      </span>
      <ConnectionState />
      <span class="grow" />
      <Button tone="quiet" onClick={nextTheme}>
        {themeText[theme.value]}
      </Button>
      <Button tone="quiet" label="Show keys" onClick={showKeys}>
        ?
      </Button>
      {user === null ? null : (
        <span class="user">
          <span class="user-name" title={`${user.name}, ${user.kind}`}>
            {user.name}
          </span>
          <Button tone="quiet" onClick={() => void signOut().catch(() => {})}>
            Sign out
          </Button>
        </span>
      )}
      <StopButton />
    </header>
  )
}

function Navigation({ found }: { readonly found: FoundPage | undefined }) {
  const here = found?.page.under ?? found?.page.pattern
  return (
    <nav class="nav" aria-label="Pages">
      {pages.map(({ pattern, nav }) =>
        nav === undefined ? null : (
          <Link key={pattern} to={pattern} current={pattern === here}>
            {nav.label}
            {nav.waiting === undefined || nav.waiting.value === 0 ? null : (
              <span class="count count-waiting">
                {nav.waiting.value}
                <span class="sr-only"> waiting</span>
              </span>
            )}
          </Link>
        ),
      )}
    </nav>
  )
}
