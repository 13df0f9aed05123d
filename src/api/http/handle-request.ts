// One HTTP request from its headers to its answer: who asks, what for, may they, the body, the
// verb. Nothing is looked up before the caller is known and allowed.

import type { Clock } from "../../base/clock.ts"
import type { Access, Authorizer } from "../../contract/authorizer.ts"
import type { ListOptions } from "../../contract/client.ts"
import type { Principal } from "../../contract/principal.ts"
import type { Verbs } from "../../contract/verbs.ts"
import { fieldTerm } from "../../object/field-selector.ts"
import type { Extensions } from "../extensions.ts"
import { apiFault } from "../faults.ts"
import type { TypeNames } from "../protobuf/decode-protobuf.ts"
import type { RawReads } from "../raw-reads.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import { type ServedResource, servedApiVersion } from "../served-resource.ts"
import { type Answer, auditHeader, send, sendFault } from "./answer.ts"
import { type AuditLog, beginAudit } from "./audit-request.ts"
import { type Authenticate, bearerToken, type Credentials } from "./authenticate.ts"
import { compressed } from "./compress.ts"
import type { Deadlines } from "./deadlines.ts"
import type { ApiRequest, ApiResponse } from "./exchange.ts"
import { forbidden } from "./forbidden.ts"
import { impersonated } from "./impersonate.ts"
import type { Lanes } from "./lanes.ts"
import type { ResourcePath } from "./parse-path.ts"
import { findRoute, type PlainRoute } from "./plain-route.ts"
import { bodyType, noBody, readRequestBody } from "./read-body.ts"
import { callerOf, rememberedCaller } from "./remember-caller.ts"
import { type RequestInfo, requestInfo } from "./request-info.ts"
import type { RequestMetrics } from "./request-metrics.ts"
import type { Leave } from "./request-slots.ts"
import { serveExtension } from "./serve-extension.ts"
import { listOptions, serveResource } from "./serve-resource.ts"
import { serveWatch } from "./serve-watch.ts"
import type { SharedWatches } from "./shared-watches.ts"

export interface HttpApi {
  readonly verbs: Verbs
  readonly reads: RawReads
  readonly registry: ResourceRegistry
  readonly extensions: Extensions
  readonly clock: Clock
  readonly authenticate: Authenticate
  readonly authorizer: Authorizer
  readonly audit?: AuditLog | undefined
  /** Documents outside of the resource grammar. */
  readonly routes: readonly PlainRoute[]
  /** For all but watches. */
  readonly deadlines: Deadlines
  readonly lanes: Lanes
  readonly seen: RequestMetrics
  readonly watches: SharedWatches
  /** Aborts when the server drains: watches end. */
  readonly draining: AbortSignal
}

/** The header that asks for the object of a finished delete. */
export const returnHeader = "setpoint-return"

interface Call {
  readonly api: HttpApi
  readonly request: ApiRequest
  readonly method: string
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly plain: PlainRoute | undefined
  readonly info: RequestInfo
}

/** Nobody adds to a query. */
const noQuery = new URLSearchParams()

export async function handleRequest(
  api: HttpApi,
  request: ApiRequest,
  response: ApiResponse,
): Promise<void> {
  const began = api.clock.monotonic()
  const url = request.url ?? "/"
  const mark = url.indexOf("?")
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1))
  const method = request.method ?? "GET"
  const plain = method === "GET" ? findRoute(api.routes, path) : undefined
  const info = requestInfo(method, path, query)
  const call: Call = { api, request, method, url, path, query, plain, info }
  await answer(call, response)
  const seconds = (api.clock.monotonic() - began) / 1000
  api.seen.done({ plain, info, status: response.statusCode, seconds })
}

async function answer(call: Call, response: ApiResponse): Promise<void> {
  const { api, request, plain, info, path } = call
  const audit = beginAudit(call)
  try {
    // Nothing here waits unless it has to: most callers are known, and most slots are free.
    const known = authenticated(call, plain)
    const caller = known instanceof Promise ? await known : known
    audit.by(caller)
    // Whoever may not speak as somebody else is told so, and it is noted as theirs.
    const principal = caller && impersonated(caller, request, api.authorizer)
    if (principal !== caller) audit.by(principal)
    if (plain === undefined && info.isWatch && principal !== undefined) {
      if (audit.id !== undefined) response.setHeader(auditHeader, audit.id)
      return await watch(call, principal, info, response)
    }
    // Health is answered whatever else goes on.
    const entered = plain?.open === true ? undefined : api.lanes.enter(principal, path, info)
    const leave = entered instanceof Promise ? await entered : entered
    const answered = await api.deadlines.within(answerTo(call, principal, leave), tookTooLong)
    const noted = audit.ended({ code: answered.status })
    if (noted !== undefined) await noted
    const packed = compressed(answered, request.headers["accept-encoding"])
    send(response, packed instanceof Promise ? await packed : packed, audit.id)
  } catch (error) {
    await audit.ended({ error })
    if (response.headersSent) {
      // The answer had begun: cutting it is the only way left to say that it is not whole.
      response.destroy()
      return
    }
    // What was not read of the body must not be taken for the next request.
    if (!request.complete && request.httpVersionMajor < 2) response.setHeader("connection", "close")
    sendFault(response, error, audit.id)
  }
}

const tookTooLong = (): Error => apiFault("SPT-API-024", { why: "it took too long" })

/** Undefined only where nobody needs to be known. */
function authenticated(
  { api, request }: Call,
  plain: PlainRoute | undefined,
): Principal | undefined | Promise<Principal | undefined> {
  const { authenticate, clock } = api
  const known = rememberedCaller(authenticate, clock, request)
  if (known !== undefined) return known
  return callerOf(authenticate, clock, request, credentialsOf(request)).then((principal) => {
    if (principal === undefined && plain?.open !== true) throw apiFault("SPT-API-020")
    return principal
  })
}

function credentialsOf(request: ApiRequest): Credentials {
  const token = bearerToken(request)
  const { certificate } = request.socket
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined ? {} : { certificate }),
  }
}

/** Leaves its slot when it is done, which may be after its deadline. */
async function answerTo(
  call: Call,
  principal: Principal | undefined,
  leave: Leave | undefined,
): Promise<Answer> {
  try {
    return await answerFor(call, principal)
  } finally {
    leave?.()
  }
}

async function answerFor(call: Call, principal: Principal | undefined): Promise<Answer> {
  const { api, request, method, url, path, query, plain, info } = call
  if (plain !== undefined) {
    if (plain.open !== true) allow(call, principal, info.access)
    return plain.answer({ principal, path, query, headers: request.headers })
  }
  const extension = api.extensions.match(method, url)
  if (extension !== undefined && principal !== undefined) {
    return serveExtension({ ...call, principal, extension, access: info.access })
  }
  const who = allow(call, principal, info.access)
  const type = bodyType(request)
  const target = needTarget(info, path)
  const resource = api.registry.need(target.resource)
  const { value: body, duplicates } =
    method === "GET"
      ? noBody
      : await readRequestBody(request, () => expectedNames(method, resource))
  const { headers } = request
  const wantsObject = headers[returnHeader] === "object"
  const { verbs, reads, clock } = api
  return serveResource({
    ...{ verbs, reads, clock, principal: who, resource, path: target, method, query },
    ...{ body, duplicates, wantsObject, headers, bodyType: type },
  })
}

/** What a body is that does not say so itself. */
function expectedNames(method: string, resource: ServedResource): TypeNames {
  if (method === "DELETE") return { apiVersion: "v1", kind: "DeleteOptions" }
  return { apiVersion: servedApiVersion(resource), kind: resource.kind }
}

/** The caller, who may; throws 403 otherwise. */
function allow({ api }: Call, principal: Principal | undefined, access: Access): Principal {
  if (principal === undefined) throw apiFault("SPT-API-020")
  const { allowed, reason } = api.authorizer.authorize(principal, access)
  if (!allowed) throw forbidden(principal, access, reason)
  return principal
}

function needTarget({ target }: RequestInfo, path: string): ResourcePath {
  if (target === undefined) throw apiFault("SPT-API-025", { path: path.slice(0, 300) })
  return target
}

/** By the old prefix one object can be watched by its name. */
function watchOptions({ method, path, query }: Call, target: ResourcePath): ListOptions {
  const options = listOptions({ path: target, query })
  if (target.name === "" && !target.isOldWatch) return options
  if (!target.isOldWatch) throw apiFault("SPT-API-021", { method: "WATCH", path })
  if (target.subresource !== "") throw apiFault("SPT-API-025", { path: path.slice(0, 300) })
  // A change of something is never meant by a path of a watch.
  if (method !== "GET") throw apiFault("SPT-API-021", { method, path: path.slice(0, 300) })
  if (target.name === "") return options
  const byName = fieldTerm("metadata.name", target.name)
  const { fieldSelector = "" } = options
  return { ...options, fieldSelector: fieldSelector ? `${fieldSelector},${byName}` : byName }
}

async function watch(
  call: Call,
  principal: Principal,
  info: RequestInfo,
  response: ApiResponse,
): Promise<void> {
  const { api, path, query } = call
  allow(call, principal, info.access)
  const target = needTarget(info, path)
  const resource = api.registry.need(target.resource)
  const options = watchOptions(call, target)
  const leave = api.lanes.openWatch(principal)
  try {
    await serveWatch({
      reads: api.reads,
      watches: api.watches,
      registry: api.registry,
      clock: api.clock,
      ref: target.resource,
      resource,
      query,
      headers: call.request.headers,
      options,
      signal: api.draining,
      response,
    })
  } finally {
    leave()
  }
}
