// Who is signed in here, and the ways to sign in. A session that ended shows as signed out at the
// next answer; the address stays, so that one comes back to where one was. Answers may come in
// another order than they were asked for: an older one never takes the place of a newer one.

import { effect, signal } from "@preact/signals"
import { toRequestFault } from "./fault.ts"
import { ask, letGoOfQuestions, refusals } from "./request.ts"

export interface SessionView {
  readonly user: { readonly name: string; readonly kind: string } | null
  /** What the sign-in page offers besides a link. */
  readonly ways: readonly ("token" | "oidc")[]
  readonly issuer?: string
  readonly version: string
}

export interface Session extends SessionView {
  /** "leaving": still in, and asking nothing more. */
  readonly state: "asking" | "in" | "leaving" | "out" | "away"
  /** They were signed in before: the page says that the session ended. */
  readonly ended: boolean
}

const nobody = { user: null, ways: [], version: "" } as const

export const session = signal<Session>({ ...nobody, state: "asking", ended: false })

/** How often was asked, and which of these questions was the last one that counted. */
let asked = 0
let answered = 0

export async function readSession(): Promise<void> {
  const number = ++asked
  try {
    const view = await ask<SessionView>("/dashboard/session")
    if (number < answered) return
    answered = number
    const before = session.peek()
    const state = view.user === null ? "out" : "in"
    const ended = state === "out" && (before.state === "in" || before.ended)
    session.value = { ...view, state, ended }
  } catch (error) {
    // Signed in or not: nobody knows while the plane does not answer.
    if (toRequestFault(error).status !== 0) throw error
    const before = session.peek()
    if (before.state === "asking") session.value = { ...before, state: "away" }
  }
}

/** Answers with what went wrong. */
export async function signInByToken(token: string): Promise<void> {
  await ask("/dashboard/sign-in", { method: "POST", body: { token } })
  await readSession()
}

export async function signOut(): Promise<void> {
  const before = session.peek()
  session.value = { ...before, state: "leaving" }
  answered = ++asked
  letGoOfQuestions()
  try {
    // Also for those who close the page at once.
    await ask("/dashboard/sign-out", { method: "POST", body: {}, keepalive: true })
  } catch (error) {
    session.value = before
    throw error
  }
  session.value = { ...before, user: null, state: "out", ended: false }
}

/** Starts looking, and looks again whenever a request was refused for want of a session. */
export function keepSession(): void {
  const look = () => void readSession().catch(() => {})
  let seen = refusals.peek()
  effect(() => {
    if (refusals.value === seen) return
    seen = refusals.value
    if (session.peek().state === "in") look()
  })
  setInterval(() => {
    if (session.peek().state === "away") look()
  }, 2000)
  look()
}
