// The rules of Kubernetes for resourceVersion, resourceVersionMatch, continue and
// sendInitialEvents, and what they mean for a list: which revision to read, or why not.

import type { ListOptions } from "../contract/client.ts"
import type { Revision } from "../contract/store.ts"
import { parseResourceVersion } from "./codec.ts"
import { apiFault, causesText } from "./faults.ts"

export interface WatchOptionTexts {
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  /** Undefined when it was not given. */
  readonly sendInitialEvents: boolean | undefined
}

function refuse(field: string, what: string): never {
  const message = `Forbidden: ${what}`
  const causes = causesText([{ field, reason: "FieldValueForbidden", message }])
  const why = `${field}: ${message}`
  const names = { kind: "ListOptions.meta.k8s.io", name: "", group: "meta.k8s.io" }
  throw apiFault("SPT-API-005", { ...names, why, causes })
}

const match = "resourceVersionMatch"

/** Undefined: the newest. */
export function listRevision(options: ListOptions, newest: Revision): Revision | undefined {
  const { resourceVersion = "", resourceVersionMatch, limit = 0 } = options
  if (resourceVersionMatch !== undefined) {
    if (resourceVersion === "")
      refuse(match, `${match} is forbidden unless resourceVersion is provided`)
    if (options.continue) refuse(match, `${match} is forbidden when continue is provided`)
    if (resourceVersionMatch === "Exact" && resourceVersion === "0") {
      refuse(match, `${match} "exact" is forbidden for resourceVersion "0"`)
    }
  }
  if (resourceVersion === "" || resourceVersion === "0") return undefined
  if (options.continue) {
    const why = "specifying resource version is not allowed when using continue"
    throw apiFault("SPT-API-006", { verb: "read", what: "the list options", why })
  }
  const revision = needRevision(resourceVersion)
  if (revision > newest) throw tooLarge(revision, newest)
  // A page that names a revision means that one, unless it says otherwise.
  const isExact = resourceVersionMatch === "Exact"
  return isExact || (resourceVersionMatch === undefined && limit > 0) ? revision : undefined
}

/** True when the current state comes first. */
export function checkWatchOptions(options: WatchOptionTexts): boolean {
  const { resourceVersionMatch, sendInitialEvents } = options
  if (sendInitialEvents !== undefined && resourceVersionMatch !== "NotOlderThan") {
    refuse(match, `sendInitialEvents requires setting ${match} to NotOlderThan`)
  }
  if (sendInitialEvents === undefined && resourceVersionMatch !== "") {
    refuse(match, `${match} is forbidden for watch unless sendInitialEvents is provided`)
  }
  if (sendInitialEvents !== undefined) return sendInitialEvents
  return options.resourceVersion === "" || options.resourceVersion === "0"
}

export function refuseInitialEvents(): never {
  refuse("sendInitialEvents", "sendInitialEvents is forbidden for list")
}

export function needRevision(text: string): Revision {
  const revision = parseResourceVersion(text)
  if (revision !== undefined) return revision
  throw apiFault("SPT-API-111", { text: text.slice(0, 100) })
}

/** Nothing here lags behind: a revision that is not there yet belongs to another store. */
export function tooLarge(revision: Revision, newest: Revision): Error {
  const message = "Too large resource version"
  const causes = causesText([{ field: "", reason: "ResourceVersionTooLarge", message }])
  return apiFault("SPT-API-112", { revision, newest, causes })
}
