// One line for every request that changes something, or was refused to: who, what, from where, how
// it ended; never a body. The line is written before the answer goes out, and while none can be
// written nothing is changed.

import type { Clock } from "../../base/clock.ts"
import { toTimestamp } from "../../base/clock.ts"
import { type Fault, toFault } from "../../base/faults.ts"
import type { Principal } from "../../contract/principal.ts"
import { accessFault } from "../authz/faults.ts"
import type { ApiRequest } from "./exchange.ts"
import type { RequestInfo } from "./request-info.ts"

export interface AuditLine {
  readonly id: string
  readonly time: string
  readonly user: string
  readonly kind: string
  readonly impersonator?: string
  readonly source: string
  readonly verb: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly path?: string
  readonly code: number
  /** The fault's code, when it was refused. */
  readonly fault?: string
}

export interface AuditLog {
  /** Resolves when the line outlives this process; it is on the disk a moment later. */
  write(line: AuditLine): Promise<void>
  /** Why no line can be written now; asking tries again. */
  trouble(): Fault | undefined
  newId(): string
}

export interface RequestAudit {
  /** Of the request, for the answer to name; undefined where no log is kept. */
  readonly id: string | undefined
  by(principal: Principal | undefined): void
  /** Before the answer goes out. */
  ended(outcome: Outcome): Promise<void> | undefined
}

export interface AuditedCall {
  readonly api: { readonly audit?: AuditLog | undefined; readonly clock: Clock }
  readonly request: ApiRequest
  readonly method: string
  readonly info: RequestInfo
}

type Outcome = { readonly code: number } | { readonly error: unknown }

const silent: RequestAudit = { id: undefined, by: () => {}, ended: () => undefined }
const stopPath = "/setpoint/v1/stop"
const idForm = /^[A-Za-z0-9-]{1,64}$/
/** Questions, which change nothing; others may define kinds in the same groups. */
const reviews: ReadonlySet<string> = new Set([
  ...["selfsubjectaccessreviews", "subjectaccessreviews", "localsubjectaccessreviews"].map(
    (name) => `${name}.authorization.k8s.io`,
  ),
  "selfsubjectrulesreviews.authorization.k8s.io",
  ...["selfsubjectreviews", "tokenreviews"].map((name) => `${name}.authentication.k8s.io`),
])

export function beginAudit(call: AuditedCall): RequestAudit {
  const { api, request, method, info } = call
  const { audit, clock } = api
  if (audit === undefined) return silent
  const given = request.headers["audit-id"]
  const id = typeof given === "string" && idForm.test(given) ? given : audit.newId()
  const { group, resource } = info.access
  if (method === "GET" || method === "HEAD" || reviews.has(`${resource}.${group}`)) {
    return { ...silent, id }
  }
  let who: Principal | undefined
  return {
    id,
    by: (principal) => {
      who = principal
      // Stopping works whatever is broken.
      const trouble = info.access.path === stopPath ? undefined : audit.trouble()
      if (trouble !== undefined) throw accessFault("SPT-API-072", { why: trouble.message })
    },
    ended: (outcome) => {
      // Whoever did not sign in changed nothing, and must not fill the log.
      if (who === undefined) return undefined
      const time = toTimestamp(clock.now())
      const source = request.socket.remoteAddress ?? "socket"
      const line = { id, time, ...userOf(who), source, ...whatOf(info), ...endOf(outcome) }
      // What was done is done: the log has to work before anything else is.
      return audit.write(line).catch(() => {})
    },
  }
}

function userOf({ name, kind, impersonator }: Principal) {
  return { user: name, kind, ...(impersonator === undefined ? {} : { impersonator }) }
}

function whatOf({ access }: RequestInfo) {
  const { verb, group, resource, subresource, namespace, name, path } = access
  if (path !== undefined) return { verb, path: path.slice(0, 500) }
  return {
    verb,
    ...(group === "" ? {} : { group }),
    ...(resource === "" ? {} : { resource }),
    ...(subresource === "" ? {} : { subresource }),
    ...(namespace === "" ? {} : { namespace }),
    ...(name === "" ? {} : { name }),
  }
}

function endOf(outcome: Outcome) {
  if ("code" in outcome) return outcome
  const { status, code } = toFault(outcome.error)
  return { code: status, fault: code }
}
