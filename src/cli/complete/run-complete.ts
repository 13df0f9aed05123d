// Answers a shell that completes a command line. It says nothing but candidates: where no plane
// runs, or it does not answer in time, there are none.

import type { Command } from "commander"
import { isObject, type Json } from "../../base/json.ts"
import type { HttpClient } from "../../client/http/http-client.ts"
import type { GlobalOptions } from "../command.ts"
import { clientFor } from "../lazy-client.ts"
import { findKind, servedKinds } from "../resolve-kinds.ts"
import { type WantedWord, wantedWord } from "./wanted-word.ts"

const patienceMs = 2000
const namesMax = 500
/** Nothing else is handed to a shell, whatever a plane says. */
const harmless = /^[A-Za-z0-9][A-Za-z0-9._/@:-]*$/

export async function candidates(parser: Command, words: readonly string[]): Promise<string[]> {
  const wanted = wantedWord(parser, words)
  const fits = (word: string) => word.startsWith(wanted.typed)
  const names = await namesFor(wanted, parser.opts<GlobalOptions>())
  const offered = [...wanted.choices, ...names.filter((name) => harmless.test(name))]
  return [...new Set(offered)].filter(fits)
}

async function namesFor(wanted: WantedWord, presets: GlobalOptions): Promise<readonly string[]> {
  if (wanted.names === undefined) return []
  const typed = Object.fromEntries(wanted.options)
  const options: GlobalOptions = { ...presets, ...typed }
  let client: HttpClient | undefined
  try {
    client = clientFor(options, { timeoutMs: patienceMs })
    return await ask(client, wanted, options)
  } catch {
    return [] // A shell has no place for errors; the command itself will tell them.
  } finally {
    client?.close()
  }
}

async function ask(
  client: HttpClient,
  { names, before, typed }: WantedWord,
  { namespace }: GlobalOptions,
): Promise<readonly string[]> {
  switch (names) {
    case "loop": {
      const status = await client.call("GET", "/setpoint/v1/status")
      const ids = members(status, "loops").map((loop) => textOf(loop, "id"))
      const own = `${namespace}.`
      return ids.flatMap((id) => (id.startsWith(own) ? [id.slice(own.length), id] : [id]))
    }
    case "plan": {
      const plans = members(await client.call("GET", "/setpoint/v1/plans"), "plans")
      return plans.map((plan) => textOf(plan, "name"))
    }
    case "namespace":
      return listed(client, { group: "", version: "v1", resource: "namespaces" }, "")
    case "kind":
    case "object":
      return objects(client, [...before, typed], names, namespace)
    default:
      return []
  }
}

async function objects(
  client: HttpClient,
  words: readonly string[],
  names: "kind" | "object",
  namespace: string,
): Promise<readonly string[]> {
  const kinds = await servedKinds(client)
  const last = words.at(-1) ?? ""
  const slash = last.indexOf("/")
  if (names === "kind" && slash < 0) {
    return kinds.flatMap(({ resource, singular }) => [resource, singular])
  }
  const typed = slash < 0 ? (words[0] ?? "") : last.slice(0, slash)
  const kind = findKind(kinds, typed)
  const found = await listed(client, kind, kind.namespaced ? namespace : "")
  return slash < 0 ? found : found.map((name) => `${typed}/${name}`)
}

async function listed(
  client: HttpClient,
  ref: { readonly group: string; readonly version: string; readonly resource: string },
  namespace: string,
): Promise<readonly string[]> {
  const { group, version, resource } = ref
  const scope = namespace === "" ? {} : { namespace }
  const page = await client.list({ group, version, resource }, { ...scope, limit: namesMax })
  return page.items.map(({ metadata }) => metadata.name)
}

function members(answer: Json, name: string): readonly Json[] {
  const list = isObject(answer) ? answer[name] : undefined
  return Array.isArray(list) ? list : []
}

function textOf(value: Json, name: string): string {
  return isObject(value) ? String(value[name] ?? "") : ""
}
