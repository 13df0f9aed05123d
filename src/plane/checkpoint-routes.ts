// Checkpoints and rollback by path: list, show, compare, create, delete; roll back, try it, end it.
// Secrets are shown as keyed hashes; what is long comes in pages.

import type { ExtensionRoute } from "../api/extensions.ts"
import { isObject, type Json, type JsonObject, toPlainJson } from "../base/json.ts"
import { controllerFault } from "../controllers/faults.ts"
import { nowName } from "../controllers/named-checkpoints.ts"
import { kindText } from "../controllers/plan-approval.ts"
import { diffStates, type ObjectDifference, type State } from "../controllers/state-diff.ts"
import type { CheckpointHeader, Pin, PinEntry } from "../ledger/checkpoint-pages.ts"
import { parseApiVersion } from "../object/object.ts"
import { hideSecrets } from "../reconcile/secrets.ts"
import type { Plane } from "./plane.ts"
import { loopAccess, named, Sight } from "./route-access.ts"

const pageSize = 500
const textMax = 1000

const checkpoints = "checkpoints"

const rollback: Pick<ExtensionRoute, "access" | "onlyPeople"> = {
  access: (_params, _query, body) => loopAccess("rollback", named(body, "loop")),
  onlyPeople: ({ name, kind }, _params, body) => {
    const facts = { loop: named(body, "loop"), principal: name, kind: kindText[kind] }
    return controllerFault("SPT-ROLL-002", facts)
  },
}

export function checkpointRoutes(plane: Plane): ExtensionRoute[] {
  const one = "/setpoint/v1/checkpoints/:loop/:name"
  return [
    {
      method: "GET",
      pattern: "/setpoint/v1/checkpoints",
      access: (_params, query) =>
        query.has("loop") ? loopAccess("get", query.get("loop"), checkpoints) : [],
      handler: async (principal, _params, query) => {
        const loop = query.get("loop") ?? undefined
        if (loop !== undefined) requireKnown(plane, loop)
        const sight = new Sight(plane, principal)
        const all = plane.engine.ledger.checkpoints
          .list(loop)
          .filter((one) => sight.may(loopAccess("get", one.loop, checkpoints)))
        return toPlainJson({ checkpoints: all.map(summary) })
      },
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/checkpoints",
      access: (_params, _query, body) => loopAccess("create", named(body, "loop"), checkpoints),
      handler: async (principal, _params, _query, body) => {
        const { loop, name, reason } = textsOf(body)
        requireLoop(plane, loop)
        const { named } = plane.checkpointing
        return toPlainJson(summary(await named.create(loop, name, principal, reason)))
      },
    },
    {
      method: "GET",
      pattern: one,
      access: ({ loop = "" }) => loopAccess("get", loop, checkpoints),
      handler: async (_principal, { loop = "", name = "" }, query) =>
        toPlainJson(await show(plane, loop, name, pageOf(query))),
    },
    {
      method: "GET",
      pattern: `${one}/diff`,
      access: ({ loop = "" }) => loopAccess("get", loop, checkpoints),
      handler: async (_principal, { loop = "", name = "" }, query) =>
        toPlainJson(await diff(plane, loop, name, query.get("to") ?? nowName, pageOf(query))),
    },
    {
      method: "POST",
      pattern: `${one}/delete`,
      access: ({ loop = "" }) => loopAccess("delete", loop, checkpoints),
      handler: async (principal, { loop = "", name = "" }, _query, body) => {
        const { named } = plane.checkpointing
        return toPlainJson(summary(await named.remove(loop, name, principal, textsOf(body).reason)))
      },
    },
    ...rollbackRoutes(plane),
  ]
}

function rollbackRoutes(plane: Plane): ExtensionRoute[] {
  return [
    {
      method: "POST",
      pattern: "/setpoint/v1/rollback",
      ...rollback,
      handler: async (principal, _params, _query, body) => {
        const { loop, to, reason } = textsOf(body)
        const why = reason === undefined ? {} : { reason }
        const dryRun = isObject(body) && body.dryRun === true
        const { rollbacks } = plane.checkpointing
        const answer = await rollbacks.ask({ loop, to, dryRun, ...why }, principal)
        const shown = pageOfDifferences(plane, answer.differences, 0)
        return toPlainJson({ ...answer, ...shown })
      },
    },
    {
      method: "POST",
      pattern: "/setpoint/v1/rollback/end",
      ...rollback,
      handler: async (principal, _params, _query, body) => {
        const { loop, reason } = textsOf(body)
        return toPlainJson(await plane.checkpointing.rollbacks.end(loop, principal, reason))
      },
    },
  ]
}

function pageOf(query: URLSearchParams): number {
  const page = Number(query.get("page") ?? 0)
  return Number.isSafeInteger(page) && page > 0 ? page : 0
}

/** Headers without the list of their pages. */
export function summary({ pages: _, shift: _s, format: _f, ...shown }: CheckpointHeader): object {
  return shown
}

function requireLoop(plane: Plane, loop: string): void {
  if (plane.loops.get(loop) === undefined) throw controllerFault("SPT-ROLL-005", { loop })
}

/** A loop that is gone may have left checkpoints. */
function requireKnown(plane: Plane, loop: string): void {
  if (plane.engine.ledger.checkpoints.list(loop).length === 0) requireLoop(plane, loop)
}

async function show(plane: Plane, loop: string, name: string, page: number): Promise<object> {
  const { checkpoints } = plane.engine.ledger
  const header = plane.checkpointing.named.need(loop, name)
  const entries: PinEntry[] = []
  for await (const entry of checkpoints.entries(header)) entries.push(entry)
  entries.sort((left, right) => (left.key < right.key ? -1 : 1))
  const shown = entries.slice(page * pageSize, (page + 1) * pageSize)
  const pins = await Promise.all(shown.map((entry) => checkpoints.load(loop, entry)))
  const objects = pins.map((pin, index) => ({ ...hidden(plane, pin), hash: shown[index]?.spec }))
  return { ...summary(header), page, pages: Math.ceil(entries.length / pageSize), objects }
}

async function diff(plane: Plane, loop: string, name: string, to: string, page: number) {
  const { named } = plane.checkpointing
  if (to === nowName) requireLoop(plane, loop)
  const states: State[] = [await named.state(loop, name), await named.state(loop, to)]
  const [before = new Map(), after = new Map()] = states
  const differences = diffStates(before, after)
  return { loop, from: name, to, ...pageOfDifferences(plane, differences, page) }
}

function pageOfDifferences(plane: Plane, all: readonly ObjectDifference[], page: number) {
  const counts = { added: 0, removed: 0, changed: 0 }
  for (const { change } of all) counts[change]++
  const shown = all.slice(page * pageSize, (page + 1) * pageSize)
  const differences = shown.map((one) => hideFields(plane, one))
  return { counts, page, pages: Math.ceil(all.length / pageSize), differences }
}

function secretsOf(plane: Plane, group: string, kind: string): readonly string[] {
  const found = plane.engine.kinds.find(
    ({ provider }) => provider.group === group && provider.kind === kind,
  )
  return found?.provider.secretPaths ?? []
}

/** Of a Secret; kubectl keeps what it applied in an annotation. */
const secretMembers = ["data", "stringData"]
const secretMetadata = ["annotations"]

function hidden(plane: Plane, { key, apiVersion, kind, metadata, body }: Pin): object {
  if (apiVersion === "v1" && kind === "Secret") {
    const { hasher } = plane.ports
    const safe = hideSecrets(body, secretMembers, hasher)
    const facts = hideSecrets(metadata, secretMetadata, hasher)
    return { object: key, apiVersion, kind, metadata: facts, ...safe }
  }
  const secrets = secretsOf(plane, parseApiVersion(apiVersion).group, kind)
  const { spec } = body
  const safe = isObject(spec) ? { spec: hideSecrets(spec, secrets, plane.ports.hasher) } : {}
  return { object: key, apiVersion, kind, metadata, ...body, ...safe }
}

/** A field that is secret, or holds one, or lies in one, shows only hashes of both sides. */
function hideFields(plane: Plane, one: ObjectDifference): ObjectDifference {
  const kind = plane.engine.feed?.kindOf(one.object)
  const secrets = one.object.startsWith("secrets/")
    ? [...secretMembers, ...secretMetadata.map((path) => `metadata.${path}`)]
    : (kind?.provider.secretPaths ?? []).map((path) => `spec.${path}`)
  if (secrets.length === 0) return one
  const hash = (value: Json | undefined) =>
    value === undefined ? undefined : plane.ports.hasher.hash(value)
  const fields = one.fields.map((field) => {
    const [own, near] = [`${field.path}.`, (path: string) => `${path}.`]
    const secret = secrets.some((path) => own.startsWith(near(path)) || near(path).startsWith(own))
    if (!secret) return field
    const [before, after] = [hash(field.before), hash(field.after)]
    return {
      path: field.path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    }
  })
  return { ...one, fields }
}

function textsOf(body: Json | undefined) {
  const given: JsonObject = isObject(body) ? body : {}
  const text = (name: string) => {
    const value = given[name]
    return typeof value === "string" ? value.slice(0, textMax) : ""
  }
  const reason = text("reason")
  return {
    loop: text("loop"),
    name: text("name"),
    to: text("to") === "" ? "last-good" : text("to"),
    reason: reason === "" ? undefined : reason,
  }
}
