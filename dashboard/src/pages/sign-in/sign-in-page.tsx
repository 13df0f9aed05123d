// For those who are not signed in: a link from the terminal, a token, or another issuer.

import { useSignal } from "@preact/signals"
import { Mark } from "../../app/mark.tsx"
import { query } from "../../app/router.tsx"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { session, signInByToken } from "../../live/session.ts"
import { Button } from "../../ui/button.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"

/** A link or an issuer brought them here; what was wrong stands in the address by its code. */
const refusals: Readonly<Record<string, string>> = {
  "SPT-API-052": "This link was used before, is too old, or is of another plane.",
  "SPT-API-056": "Too many attempts failed. Wait a minute, or use a link.",
  "SPT-API-057": "The issuer did not let you in, or it took too long.",
}

export function SignInPage() {
  const { ended, ways, issuer } = session.value
  const refused = query.value.get("refused")
  return (
    <main class="sign-in" id="page">
      <h1>
        <Mark /> Setpoint
      </h1>
      {ended ? (
        <p class="banner banner-warn" role="status">
          Your session has ended. Sign in again; you come back to where you were.
        </p>
      ) : null}
      {refused === null ? null : (
        <p class="banner banner-bad" role="alert">
          {refusals[refused] ?? "Signing in did not work."}
        </p>
      )}
      <section aria-labelledby="by-link">
        <h2 id="by-link">With a link</h2>
        <p class="muted">On the plane's host, this prints a link that works once:</p>
        <CopyCommand command="setpoint dashboard" />
      </section>
      {ways.includes("token") ? <TokenForm /> : null}
      {ways.includes("oidc") ? (
        <section aria-labelledby="by-issuer">
          <h2 id="by-issuer">With your organization</h2>
          <a class="button button-plain" href="/dashboard/oidc/start">
            {`Sign in with ${issuer ?? "the issuer"}`}
          </a>
        </section>
      ) : null}
    </main>
  )
}

function TokenForm() {
  const token = useSignal("")
  const busy = useSignal(false)
  const fault = useSignal<RequestFault | undefined>(undefined)
  const signIn = async () => {
    busy.value = true
    fault.value = undefined
    try {
      await signInByToken(token.value.trim())
    } catch (error) {
      fault.value = toRequestFault(error)
    } finally {
      token.value = ""
      busy.value = false
    }
  }
  return (
    <section aria-labelledby="by-token">
      <h2 id="by-token">With a token</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (token.value.trim() !== "" && !busy.value) void signIn()
        }}
      >
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            autoComplete="off"
            maxLength={8192}
            value={token.value}
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
        </label>
        {fault.value === undefined ? null : <ErrorBox fault={fault.value} />}
        <Button
          type="submit"
          tone="main"
          busy={busy.value}
          disabledWhy={token.value.trim() === "" ? "Paste a token first." : undefined}
        >
          Sign in
        </Button>
      </form>
    </section>
  )
}
