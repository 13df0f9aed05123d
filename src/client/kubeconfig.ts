// Reads a kubeconfig: one context of it as the way to a server. What it can't honour it refuses:
// running programs (exec), passwords and proxies; leaving them out would call as somebody else.

import { parse } from "yaml"
import { at, isArray, isObject, type Json, type JsonObject } from "../base/json.ts"
import { clientFault } from "./faults.ts"

/** Given in the file itself, or the path of a file that holds it. */
export type Given = { readonly text: string } | { readonly file: string }

export interface KubeContext {
  readonly name: string
  readonly server: string
  readonly namespace: string | undefined
  readonly user: string
  readonly authority?: Given
  readonly certificate?: Given
  readonly key?: Given
  readonly token?: Given
  readonly serverName?: string
  readonly insecure: boolean
  /** Who to speak as. */
  readonly as?: { readonly user: string; readonly groups: readonly string[] }
}

const bytesMax = 1024 * 1024

/** `place` names the file in errors; the context is the current one when not named. */
export function readKubeconfig(text: string, place: string, wanted?: string): KubeContext {
  const refuse = (why: string, cause?: unknown) =>
    clientFault("SPT-CLIENT-006", { file: place, why }, cause)
  if (text.length > bytesMax) throw refuse(`it has more than ${bytesMax} bytes`)
  let whole: Json
  try {
    whole = parse(text, { maxAliasCount: 0, uniqueKeys: true, logLevel: "error" })
  } catch (error) {
    throw refuse("it is no YAML", error)
  }
  if (!isObject(whole)) throw refuse("it is no kubeconfig")
  const name = wanted ?? textAt(whole, "current-context")
  if (name === undefined || name === "") throw refuse("it names no current context")
  const part = (list: string, member: string, named: string | undefined): JsonObject => {
    const rows = whole[list]
    const row = isArray(rows) ? rows.find((one) => at(one, "name") === named) : undefined
    const value = at(row, member)
    if (isObject(value)) return value
    throw refuse(`it has no ${member} "${named ?? ""}"`)
  }
  const context = part("contexts", "context", name)
  const user = textAt(context, "user") ?? ""
  const cluster = part("clusters", "cluster", textAt(context, "cluster"))
  const login = user === "" ? {} : part("users", "user", user)
  const server = textAt(cluster, "server")
  if (server === undefined || !/^https?:\/\//.test(server)) {
    throw refuse(`the cluster of "${name}" has no http(s) server`)
  }
  const odd = ["exec", "auth-provider", "username", "password"].find((key) => key in login)
  if (odd !== undefined) throw refuse(`its user "${user}" signs in by ${odd}`)
  const half = ["as-uid", "as-user-extra", ...("as" in login ? [] : ["as-groups"])]
  const borrowed = half.find((key) => key in login)
  if (borrowed !== undefined) throw refuse(`its user "${user}" speaks as another by ${borrowed}`)
  if ("proxy-url" in cluster) throw refuse("its cluster is reached through a proxy")
  const serverName = textAt(cluster, "tls-server-name")
  return {
    ...{ name, server, user, namespace: textAt(context, "namespace") },
    ...given("authority", cluster, "certificate-authority"),
    ...given("certificate", login, "client-certificate"),
    ...given("key", login, "client-key"),
    ...tokenOf(login),
    ...(serverName === undefined ? {} : { serverName }),
    ...asOf(login),
    insecure: cluster["insecure-skip-tls-verify"] === true,
  }
}

function textAt(value: JsonObject, key: string): string | undefined {
  const text = value[key]
  return typeof text === "string" ? text : undefined
}

/** Data inside the file goes before the path of another. */
function given(member: string, from: JsonObject, key: string): Record<string, Given> {
  const [data, file] = [textAt(from, `${key}-data`), textAt(from, key)]
  if (data !== undefined && data !== "") {
    return { [member]: { text: Buffer.from(data, "base64").toString("utf8") } }
  }
  return file === undefined || file === "" ? {} : { [member]: { file } }
}

function tokenOf(login: JsonObject): { token?: Given } {
  const [text, file] = [textAt(login, "token"), textAt(login, "tokenFile")]
  if (file !== undefined && file !== "") return { token: { file } }
  return text === undefined || text === "" ? {} : { token: { text } }
}

function asOf(login: JsonObject): Pick<KubeContext, "as"> {
  const user = textAt(login, "as")
  if (user === undefined || user === "") return {}
  const groups = login["as-groups"]
  const names = isArray(groups) ? groups.filter((one) => typeof one === "string") : []
  return { as: { user, groups: names } }
}
