// Who may ask which path that is no verb on a kind, and what it answers to whoever may: one row per
// route of the router. What the rows ask for is declared by `declareAsked`.

import { expect } from "vitest"
import type { Json } from "../../../src/base/json.ts"
import { type AccessRig, home, other, type RoleName } from "../plane/access-rig.ts"

/** In each namespace objects and a checkpoint of the loop that is there, and another loop. */
export async function declareAsked(rig: AccessRig): Promise<void> {
  const asOwner = async (path: string, body: Json, status: number) => {
    const answer = await rig.call("owner", "POST", path, body)
    expect(`${path} ${answer.status} ${answer.code}`).toBe(`${path} ${status} `)
  }
  for (const namespace of [home, other]) {
    const own = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata: { name: "y" } }
    const loops = `/apis/setpoint.dev/v1alpha1/namespaces/${namespace}/loops`
    await asOwner(loops, { ...own, spec: { mode: "Observe" } }, 201)
    // Before an object is there that no row moves: going back to it always is a difference.
    const checkpoint = { loop: `${namespace}.default`, name: "kept", reason: "a test" }
    await asOwner("/setpoint/v1/checkpoints", checkpoint, 200)
    for (const name of ["x", "stays"]) {
      const spec = { path: `${rig.base}/${namespace}-${name}`, content: "x" }
      const file = { apiVersion: "host.setpoint.dev/v1", kind: "File", metadata: { name }, spec }
      await asOwner(`/apis/host.setpoint.dev/v1/namespaces/${namespace}/files`, file, 201)
    }
  }
}

export interface Row {
  readonly path: (namespace: string) => string
  readonly body?: (namespace: string) => Json
  /** Who may, where the roles are; "" nobody. v e a g, and n for no role at all. */
  readonly home: string
  /** The same where they are not. */
  readonly other: string
  /** What whoever may gets: "200" when not given; of a refusal with its code, and why it is one. */
  readonly answer?: string
}

export const letters: Readonly<Record<RoleName, string>> = {
  ...{ none: "n", view: "v", edit: "e", admin: "a", agent: "g" },
}
const spec = (namespace: string): Json => {
  const resourceAttributes = { namespace, verb: "get", resource: "configmaps" }
  return { spec: { resourceAttributes, user: "x" } }
}
const loopBody = (namespace: string): Json => ({ loop: `${namespace}.default`, reason: "a test" })
let made = 0
/** Each of another name. */
const checkpointBody = (namespace: string): Json => ({
  ...{ loop: `${namespace}.default`, name: `c${++made}`, reason: "a test" },
})
const objectBody = (namespace: string): Json => ({
  object: `files.host.setpoint.dev/${namespace}/x`,
  reason: "a test",
  to: `${namespace}.y`,
})
const at = (path: string) => () => path
const ofLoop = (path: string) => (namespace: string) => `${path}?loop=${namespace}.default`
const anyone = { home: "nveag", other: "nveag" }
const seeing = { home: "veag", other: "g" }
const deciding = { home: "a", other: "" }
const v1 = "/setpoint/v1"
const authorization = "/apis/authorization.k8s.io/v1"
const authentication = "/apis/authentication.k8s.io/v1"

/** Lists that show each caller only what they may see are open to anyone who signed in. */
export const rows: Readonly<Record<string, Row>> = {
  [`GET ${v1}/status`]: { path: at(`${v1}/status`), ...anyone },
  [`GET ${v1}/kinds`]: { path: at(`${v1}/kinds`), ...anyone },
  [`GET ${v1}/history`]: { path: ofLoop(`${v1}/history`), ...seeing },
  [`GET ${v1}/report`]: { path: ofLoop(`${v1}/report`), ...seeing },
  [`GET ${v1}/explain`]: {
    path: (namespace) => `${v1}/explain?object=files.host.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`GET ${v1}/objects`]: { path: at(`${v1}/objects`), ...anyone },
  [`GET ${v1}/object`]: {
    path: (namespace) => `${v1}/object?object=files.host.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`GET ${v1}/timeline`]: {
    path: (namespace) => `${v1}/timeline?object=files.host.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`GET ${v1}/log`]: {
    answer: "404 SPT-LOG-001",
    path: (namespace) => `${v1}/log?object=processes.process.setpoint.dev/${namespace}/x`,
    ...seeing,
  },
  [`POST ${v1}/look`]: { path: ofLoop(`${v1}/look`), home: "eag", other: "g" },
  [`GET ${v1}/series`]: { path: ofLoop(`${v1}/series`), ...seeing },
  [`POST ${v1}/source/fetch`]: {
    answer: "404 SPT-GIT-042",
    path: at(`${v1}/source/fetch`),
    body: loopBody,
    ...{ home: "eag", other: "g" },
  },
  [`POST ${v1}/source/accept`]: {
    answer: "404 SPT-GIT-042",
    path: at(`${v1}/source/accept`),
    body: loopBody,
    ...deciding,
  },
  [`POST ${v1}/notifiers/test`]: {
    answer: "404 SPT-NOTE-001",
    path: at(`${v1}/notifiers/test`),
    body: (namespace) => ({ namespace, name: "missing" }),
    ...{ home: "ea", other: "" },
  },
  [`GET ${v1}/inventory`]: { path: ofLoop(`${v1}/inventory`), ...seeing },
  [`POST ${v1}/release`]: { path: at(`${v1}/release`), body: objectBody, ...deciding },
  [`POST ${v1}/move`]: {
    answer: "409 SPT-OWN-007",
    path: at(`${v1}/move`),
    body: objectBody,
    ...deciding,
  },
  [`POST ${v1}/detach`]: {
    answer: "409 SPT-OWN-007",
    path: at(`${v1}/detach`),
    body: objectBody,
    ...deciding,
  },
  [`POST ${v1}/adopt`]: {
    answer: "409 SPT-PLAN-007",
    path: at(`${v1}/adopt`),
    body: objectBody,
    ...deciding,
  },
  [`POST ${v1}/inventory/forget`]: {
    path: at(`${v1}/inventory/forget`),
    body: () => ({ target: "x", reason: "a test" }),
    ...{ home: "", other: "" },
  },
  [`GET ${v1}/audit/heads`]: { path: at(`${v1}/audit/heads`), home: "g", other: "g" },
  [`GET ${v1}/audit/loops`]: { path: at(`${v1}/audit/loops`), home: "g", other: "g" },
  [`POST ${v1}/audit/verify`]: {
    path: at(`${v1}/audit/verify`),
    body: () => ({}),
    ...{ home: "g", other: "g" },
  },
  [`GET ${v1}/audit/entries`]: { path: ofLoop(`${v1}/audit/entries`), ...seeing },
  [`GET ${v1}/journal`]: { path: ofLoop(`${v1}/journal`), ...seeing },
  [`GET ${v1}/journal/:loop/:sequence`]: {
    path: (one) => `${v1}/journal/${one}.default/1`,
    ...seeing,
  },
  [`GET ${v1}/invariants`]: { path: at(`${v1}/invariants`), ...anyone },
  [`POST ${v1}/guards/test`]: { path: at(`${v1}/guards/test`), body: loopBody, ...seeing },
  [`GET ${v1}/plans`]: { path: at(`${v1}/plans`), ...anyone },
  [`GET ${v1}/plans/:name`]: {
    answer: "404 SPT-PLAN-001",
    path: at(`${v1}/plans/missing`),
    home: "g",
    other: "g",
  },
  [`GET ${v1}/plans/:name/standing`]: {
    answer: "404 SPT-PLAN-001",
    path: at(`${v1}/plans/missing/standing`),
    ...{ home: "g", other: "g" },
  },
  "POST /apis/setpoint.dev/v1alpha1/namespaces/:namespace/plans/:name/approval": {
    answer: "404 SPT-PLAN-001",
    path: (one) => `/apis/setpoint.dev/v1alpha1/namespaces/${one}/plans/missing/approval`,
    body: () => ({ hash: "" }),
    ...deciding,
  },
  [`GET ${v1}/checkpoints`]: { path: ofLoop(`${v1}/checkpoints`), ...seeing },
  [`POST ${v1}/checkpoints`]: {
    path: at(`${v1}/checkpoints`),
    body: checkpointBody,
    ...{ home: "eag", other: "g" },
  },
  [`GET ${v1}/checkpoints/:loop/:name`]: {
    path: (one) => `${v1}/checkpoints/${one}.default/kept`,
    ...seeing,
  },
  [`GET ${v1}/checkpoints/:loop/:name/diff`]: {
    path: (one) => `${v1}/checkpoints/${one}.default/kept/diff`,
    ...seeing,
  },
  [`POST ${v1}/checkpoints/:loop/:name/delete`]: {
    answer: "404 SPT-CKPT-001",
    path: (one) => `${v1}/checkpoints/${one}.default/missing/delete`,
    ...deciding,
  },
  [`POST ${v1}/rollback`]: {
    path: at(`${v1}/rollback`),
    body: (one) => ({ loop: `${one}.default`, to: "kept", reason: "a test", dryRun: true }),
    ...deciding,
  },
  [`POST ${v1}/rollback/end`]: {
    answer: "409 SPT-ROLL-004",
    path: at(`${v1}/rollback/end`),
    body: loopBody,
    ...deciding,
  },
  [`POST ${v1}/stop`]: {
    path: at(`${v1}/stop`),
    body: loopBody,
    ...{ home: "eag", other: "g" },
  },
  [`POST ${v1}/resume`]: { path: at(`${v1}/resume`), body: loopBody, ...deciding },
  [`GET ${v1}/in-flight`]: { path: at(`${v1}/in-flight`), ...anyone },
  [`GET ${v1}/break-glass`]: { path: at(`${v1}/break-glass`), ...anyone },
  [`POST ${v1}/break-glass`]: { path: at(`${v1}/break-glass`), body: loopBody, ...deciding },
  [`POST ${v1}/break-glass/end`]: {
    path: at(`${v1}/break-glass/end`),
    body: loopBody,
    ...deciding,
  },
  [`GET ${v1}/secrets`]: { path: at(`${v1}/secrets`), home: "g", other: "g" },
  [`POST ${v1}/secrets/rotate`]: { path: at(`${v1}/secrets/rotate`), home: "", other: "" },
  "PUT /api/v1/namespaces/:name/finalize": {
    path: (one) => `/api/v1/namespaces/${one}/finalize`,
    body: () => ({}),
    ...{ home: "", other: "" },
  },
  [`POST ${authorization}/selfsubjectaccessreviews`]: {
    answer: "201",
    path: at(`${authorization}/selfsubjectaccessreviews`),
    body: spec,
    ...anyone,
  },
  [`POST ${authorization}/subjectaccessreviews`]: {
    path: at(`${authorization}/subjectaccessreviews`),
    body: () => ({}),
    ...{ home: "", other: "" },
  },
  [`POST ${authorization}/namespaces/:namespace/localsubjectaccessreviews`]: {
    answer: "201",
    path: (one) => `${authorization}/namespaces/${one}/localsubjectaccessreviews`,
    body: spec,
    ...deciding,
  },
  [`POST ${authorization}/selfsubjectrulesreviews`]: {
    answer: "201",
    path: at(`${authorization}/selfsubjectrulesreviews`),
    body: () => ({}),
    ...anyone,
  },
  [`POST ${authentication}/selfsubjectreviews`]: {
    answer: "201",
    path: at(`${authentication}/selfsubjectreviews`),
    body: () => ({}),
    ...anyone,
  },
  [`POST ${authentication}/tokenreviews`]: {
    path: at(`${authentication}/tokenreviews`),
    body: () => ({}),
    ...{ home: "", other: "" },
  },
  "POST /api/v1/namespaces/:namespace/serviceaccounts/:name/token": {
    answer: "201",
    path: (one) => `/api/v1/namespaces/${one}/serviceaccounts/default/token`,
    body: () => ({}),
    ...{ home: "ea", other: "" },
  },
  [`POST ${v1}/dashboard/link`]: { path: at(`${v1}/dashboard/link`), ...anyone },
}
