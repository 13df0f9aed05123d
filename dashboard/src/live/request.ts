// One request to the plane: JSON in and out, bounded in time, refusals as faults. Says to everyone
// who listens whether the plane answers and whether the session still stands.

import { signal } from "@preact/signals"
import { faultOf, type RequestFault, toRequestFault } from "./fault.ts"

export interface AskOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly body?: unknown
  readonly accept?: string
  readonly contentType?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** It changes nothing, so it may be let go; every GET is such. */
  readonly question?: boolean
  /** Goes on when the page is left. */
  readonly keepalive?: boolean
}

/** Whether the last request got any answer, and since when that is so. */
export const reachable = signal<{ readonly answers: boolean; readonly since: number }>({
  answers: true,
  since: Date.now(),
})

/** Counts answers that said "sign in first". */
export const refusals = signal(0)

const timeoutMs = 20_000

let questions = new AbortController()

/** Whoever asked is leaving: what is under way would be answered to nobody. */
export function letGoOfQuestions(): void {
  questions.abort()
  questions = new AbortController()
}

export async function ask<T>(path: string, options: AskOptions = {}): Promise<T> {
  const response = await send(path, options)
  const text = await response.text().catch((error) => {
    throw toRequestFault(error)
  })
  const body = readJson(text)
  if (!response.ok) throw refused(response.status, body ?? { message: text.slice(0, 500) })
  return body as T
}

/** The raw answer of a GET that may go on for ever; refusals are thrown. */
export async function openStream(path: string, options: AskOptions): Promise<Response> {
  const response = await send(path, { ...options, timeoutMs: 0 })
  if (response.ok) return response
  throw refused(response.status, readJson(await response.text().catch(() => "")))
}

async function send(path: string, options: AskOptions): Promise<Response> {
  const { method = "GET", question = method === "GET" } = options
  const leaving = question ? questions.signal : undefined
  const limits = [options.signal, leaving, within(options.timeoutMs ?? timeoutMs)]
  try {
    const response = await fetch(path, {
      method,
      keepalive: options.keepalive ?? false,
      headers: {
        accept: options.accept ?? "application/json",
        "setpoint-dashboard": "1",
        ...(options.body === undefined
          ? {}
          : { "content-type": options.contentType ?? "application/json" }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      credentials: "same-origin",
      redirect: "error",
      signal: AbortSignal.any(limits.filter((one) => one !== undefined)),
    })
    note(true)
    return response
  } catch (error) {
    // Whoever called it off knows; it says nothing of the plane.
    if (options.signal?.aborted !== true && leaving?.aborted !== true) note(false)
    throw toRequestFault(error)
  }
}

const within = (ms: number): AbortSignal | undefined =>
  ms === 0 ? undefined : AbortSignal.timeout(ms)

export function note(answers: boolean): void {
  if (reachable.peek().answers !== answers) reachable.value = { answers, since: Date.now() }
}

function refused(status: number, body: unknown): RequestFault {
  if (status === 401) refusals.value = refusals.peek() + 1
  return faultOf(status, body)
}

function readJson(text: string): unknown {
  if (text === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
