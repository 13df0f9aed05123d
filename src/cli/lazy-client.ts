// A client that loads its HTTP parts with the first call, so that commands which need no plane
// start at once. Where there is no plane it says so before anything is loaded.

import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { HttpClient } from "../client/http/http-client.ts"
import { cliFault } from "./faults.ts"

export interface LazyClientOptions {
  readonly timeoutMs?: number
  /** Instead of the owner's token. */
  readonly tokenFile?: string
}

export interface ClientTarget {
  readonly data: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly token?: string
}

const remotePatienceMs = 3000

/** The plane of the kubeconfig when one is named, else the one that runs on the data directory. */
export function clientFor(
  { data, kubeconfig, context, token }: ClientTarget,
  options: Pick<LazyClientOptions, "timeoutMs"> = {},
): HttpClient {
  if (kubeconfig === undefined) {
    return lazyClient(data, { ...options, ...(token === undefined ? {} : { tokenFile: token }) })
  }
  if (token !== undefined) {
    const hint = "leave --token out: the kubeconfig says who you are"
    throw cliFault("SPT-CLI-002", { what: "--token", why: "--kubeconfig is given too", hint })
  }
  return loadedLater(async () => {
    const { kubeconfigClient } = await import("../client/http/kubeconfig-client.ts")
    const named = context === undefined ? {} : { context }
    return kubeconfigClient(kubeconfig, { patienceMs: remotePatienceMs, ...options, ...named })
  })
}

/** The one whose token is named, else in SETPOINT_TOKEN, else the owner of the directory. */
export function lazyClient(
  data: string,
  { tokenFile, ...options }: LazyClientOptions = {},
): HttpClient {
  const directory = resolve(data)
  const socketPath = join(directory, "api.sock")
  if (!existsSync(socketPath)) throw cliFault("SPT-CLI-001", { data })
  const token = readToken(directory, data, tokenFile)
  return loadedLater(async () => {
    const { httpClient } = await import("../client/http/http-client.ts")
    return httpClient({ socketPath, token, ...options })
  })
}

function loadedLater(make: () => Promise<HttpClient>): HttpClient {
  let loading: Promise<HttpClient> | undefined
  const load = () => {
    loading ??= make()
    return loading
  }
  return {
    get: async (...args) => (await load()).get(...args),
    list: async (...args) => (await load()).list(...args),
    watch: async function* (...args) {
      yield* (await load()).watch(...args)
    },
    create: async (...args) => (await load()).create(...args),
    update: async (...args) => (await load()).update(...args),
    updateStatus: async (...args) => (await load()).updateStatus(...args),
    patch: async (...args) => (await load()).patch(...args),
    apply: async (...args) => (await load()).apply(...args),
    delete: async (...args) => (await load()).delete(...args),
    deleteCollection: async (...args) => (await load()).deleteCollection(...args),
    call: async (...args) => (await load()).call(...args),
    close: () =>
      void loading?.then(
        (client) => client.close(),
        () => {}, // Whoever called has heard of it.
      ),
  }
}

function readToken(directory: string, data: string, tokenFile?: string): string {
  const given = process.env.SETPOINT_TOKEN?.trim()
  if (tokenFile === undefined && given !== undefined && given !== "") return given
  const refuse = (why: string, cause?: unknown) => {
    const facts = { what: `--token ${tokenFile}`, why, hint: "name a file with a token in it" }
    return cliFault("SPT-CLI-002", facts, cause)
  }
  let token: string
  try {
    token = readFileSync(tokenFile ?? join(directory, "token"), "utf8").trim()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (tokenFile === undefined) throw cliFault("SPT-CLI-003", { data, why }, error)
    throw refuse(why.startsWith("ENOENT") ? "there is no such file" : why, error)
  }
  // Anything else can't be sent as a header, and the answer would speak of that.
  if (tokenFile !== undefined && !/^[\x21-\x7e]{1,1000}$/.test(token))
    throw refuse("it holds no token")
  return token
}
