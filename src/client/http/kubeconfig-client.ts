// A client for the context of a kubeconfig. Files that it names lie beside it; tokens in files are
// read again, since others renew them.

import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { clientFault } from "../faults.ts"
import { type Given, type KubeContext, readKubeconfig } from "../kubeconfig.ts"
import { type HttpClient, httpClient } from "./http-client.ts"
import type { HttpClientOptions } from "./http-connection.ts"

export interface KubeconfigClientOptions
  extends Pick<HttpClientOptions, "timeoutMs" | "answerBytesMax" | "patienceMs"> {
  /** The current one when missing. */
  readonly context?: string
}

const tokenMs = 10_000

export function kubeconfigClient(
  file: string,
  { context, ...options }: KubeconfigClientOptions = {},
): HttpClient {
  return httpClient({ ...connectionOf(file, loadKubeconfig(file, context)), ...options })
}

export function loadKubeconfig(file: string, context?: string): KubeContext {
  return readKubeconfig(readText(file, file), file, context)
}

function connectionOf(file: string, found: KubeContext): HttpClientOptions {
  const read = (given: Given | undefined): string | undefined => {
    if (given === undefined) return undefined
    return "text" in given ? given.text : readText(resolve(dirname(file), given.file), file)
  }
  const [authority, certificate, key] = [found.authority, found.certificate, found.key].map(read)
  const { server: url, serverName, insecure, as } = found
  return {
    url,
    tls: {
      insecure,
      ...(authority === undefined ? {} : { authority }),
      ...(certificate === undefined ? {} : { certificate }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { serverName }),
    },
    ...(found.token === undefined ? {} : { token: fresh(() => read(found.token)?.trim()) }),
    ...(as === undefined
      ? {}
      : { headers: { "impersonate-user": as.user, "impersonate-group": [...as.groups] } }),
  }
}

function fresh(read: () => string | undefined): () => string | undefined {
  let [value, at] = [read(), performance.now()]
  return () => {
    if (performance.now() - at > tokenMs) [value, at] = [read(), performance.now()]
    return value
  }
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw clientFault("SPT-CLIENT-006", { file, why }, error)
  }
}
