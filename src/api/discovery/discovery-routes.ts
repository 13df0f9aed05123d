// Discovery at its paths. Which form a client gets stands in its Accept header; it reads in the
// Content-Type what it got, so that must name the form.

import { apiFault } from "../faults.ts"
import type { Answer } from "../http/answer.ts"
import { answerDocument, type Document, jsonDocument, pageNotFound } from "../http/document.ts"
import { DocumentCache } from "../http/document-cache.ts"
import { covers, mediaRanges } from "../http/media-ranges.ts"
import type { PlainCall, PlainRoute } from "../http/plain-route.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import {
  aggregatedGroup,
  aggregatedKind,
  aggregatedVersions,
  apiGroupDiscoveryList,
} from "./aggregated-discovery.ts"
import { type DiscoveredGroup, discoveredGroups } from "./discovered-groups.ts"
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./legacy-discovery.ts"

export function discoveryRoutes(registry: ResourceRegistry): PlainRoute[] {
  const groupCache = new DocumentCache<readonly DiscoveredGroup[]>(registry)
  const documents = new DocumentCache<Document>(registry)
  const groups = () => groupCache.get("", () => discoveredGroups(registry.all()))
  const core = () => groups().find(({ name }) => name === "")
  const others = () => groups().filter(({ name }) => name !== "")

  const root = (call: PlainCall, of: () => readonly DiscoveredGroup[], plain: () => object) => {
    const form = wantedForm(call, true)
    const key = `${call.path.slice(0, 5)} ${form}`
    if (form === "plain")
      return answerPlain(
        documents.get(key, () => jsonDocument(plain())),
        call,
      )
    const make = () => jsonDocument(apiGroupDiscoveryList(of(), form))
    const type = `application/json;g=${aggregatedGroup};v=${form};as=${aggregatedKind}`
    return answerDocument(documents.get(key, make), type, call.headers, revalidated)
  }
  const one = (call: PlainCall): Answer => {
    const [, prefix = "", ...rest] = call.path.replace(/\/$/, "").split("/")
    const [name = "", version] = prefix === "api" ? ["", ...rest] : rest
    const group = groups().find((known) => known.name === name)
    if (group === undefined || (prefix === "apis" && name === "")) return pageNotFound
    wantedForm(call, false)
    if (version === undefined) {
      return answerPlain(
        documents.get(name, () => jsonDocument(apiGroup(group))),
        call,
      )
    }
    const found = group.versions.find((known) => known.version === version)
    if (found === undefined) throw apiFault("SPT-API-025", { path: call.path.slice(0, 300) })
    const make = () => jsonDocument(apiResourceList(name, found))
    return answerPlain(documents.get(`${name}/${version}`, make), call)
  }
  const coreGroups = () => groups().filter(({ name }) => name === "")
  return [
    { pattern: "/api", answer: (call) => root(call, coreGroups, () => apiVersions(core())) },
    { pattern: "/apis", answer: (call) => root(call, others, () => apiGroupList(groups())) },
    { pattern: "/api/{version}", answer: one },
    { pattern: "/apis/{group}", answer: one },
    { pattern: "/apis/{group}/{version}", answer: one },
  ]
}

/** Kept by clients, and asked about each time. */
const revalidated = { "cache-control": "public" }

function answerPlain(document: Document, { headers }: PlainCall): Answer {
  return answerDocument(document, "application/json", headers)
}

/** "plain", or the version of the aggregated document; throws 406. */
function wantedForm({ headers }: PlainCall, canAggregate: boolean): string {
  for (const range of mediaRanges(headers.accept)) {
    const { params } = range
    if (!covers(range, "application/json")) continue
    if (!params.has("as")) return "plain"
    const version = params.get("v") ?? ""
    const isOurs = params.get("g") === aggregatedGroup && params.get("as") === aggregatedKind
    if (canAggregate && isOurs && aggregatedVersions.includes(version)) return version
  }
  throw apiFault("SPT-API-065", { accept: "application/json" })
}
