// A Balancer as a pure function: a set of processes that run `setpoint balancer`, and the file that
// tells them whom to send clients to. It names in its status whom the file that is in force still
// has, so that nobody stops a replica before that.

import { isArray, isObject, type Json, type JsonObject } from "../../../base/json.ts"
import { jsonText, parseJson } from "../../../base/json-text.ts"
import { protects } from "../../../base/protections.ts"
import type { Composition, NoComposition } from "../../../contract/composite.ts"
import type { ConditionInput } from "../../../object/conditions.ts"
import type { ApiObject, ObjectMeta } from "../../../object/object.ts"
import { isServing, setGroup } from "../set/replica.ts"
import type { BackendAddress, BalancerConfig } from "./balancer-config.ts"
import type { BalancerSpec } from "./balancer-spec.ts"

export interface BalancerInput {
  readonly parent: {
    readonly metadata: ObjectMeta
    readonly spec: BalancerSpec
    readonly status?: JsonObject
  }
  readonly children: readonly ApiObject[]
  readonly related: readonly ApiObject[]
}

/** Its set's name is longer, and has a limit. */
export const balancerNameMax = 39

export function composeBalancer(
  { parent, children, related }: BalancerInput,
  program: readonly string[],
): Composition | NoComposition {
  const { metadata, spec, status } = parent
  if (metadata.name.length > balancerNameMax) {
    return { stalled: `its name is longer than ${balancerNameMax} characters` }
  }
  const rival = related.find((one) => isBefore(one, parent) && sameDoor(one, spec))
  if (rival !== undefined) {
    const { address, port } = spec.listen
    return { stalled: `Balancer ${rival.metadata.name} listens on ${address}:${port} already` }
  }
  const backends = backendsOf(spec, related)
  const serving = servingOf(status?.serving, backends, children)
  const set = children.find(({ kind }) => kind === "ProcessSet")
  const balancers = Number(set?.status?.availableReplicas ?? 0)
  return {
    children: [fileOf(metadata, configOf(spec, backends), spec), setOf(metadata, spec, program)],
    status: {
      address: `${spec.listen.address}:${spec.listen.port}`,
      backends: backends.length,
      balancers,
      serving,
      conditions: [availableCondition(backends.length, balancers)],
    },
  }
}

/** Two on one port would share its clients, and nobody would notice. */
function sameDoor({ kind, spec }: ApiObject, { listen }: BalancerSpec): boolean {
  if (kind !== "Balancer" || !isObject(spec?.listen)) return false
  return spec.listen.port === listen.port && spec.listen.address === listen.address
}

function isBefore({ metadata }: ApiObject, parent: { readonly metadata: ObjectMeta }): boolean {
  if (metadata.name === parent.metadata.name) return false
  const [here, there] = [ageOf(parent.metadata), ageOf(metadata)]
  return there < here || (there === here && metadata.name < parent.metadata.name)
}

const ageOf = ({ creationTimestamp }: ObjectMeta): number =>
  creationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(creationTimestamp)

function backendsOf(
  { backends: { set, address } }: BalancerSpec,
  related: readonly ApiObject[],
): readonly BackendAddress[] {
  return related.flatMap((object) => {
    const port = object.spec?.port
    const owner = object.metadata.ownerReferences?.find((one) => one.controller === true)
    const ours = owner?.kind === "ProcessSet" && owner.name === set && object.kind === "Process"
    const serves = isServing(object) || !protects("ready-backends-only")
    if (!ours || !serves || typeof port !== "number") return []
    return [{ name: object.metadata.name, address, port }]
  })
}

/** Whom clients may be sent to: by the newest file, and by the one before until that is there. */
function servingOf(
  before: Json | undefined,
  backends: readonly BackendAddress[],
  children: readonly ApiObject[],
): string[] {
  const names = backends.map(({ name }) => name)
  const file = children.find(({ kind }) => kind === "File")
  const written = file === undefined ? [] : namesIn(file.spec?.content)
  const earlier = isArray(before) ? before.map(String) : []
  const inForce = file !== undefined && isInForce(file) ? [] : earlier
  return [...new Set([...names, ...written, ...inForce])].sort()
}

function namesIn(content: Json | undefined): string[] {
  try {
    const value = typeof content === "string" ? parseJson(content) : undefined
    const listed = isObject(value) && isArray(value.backends) ? value.backends : []
    return listed.flatMap((one) => (isObject(one) ? [String(one.name)] : []))
  } catch {
    return [] // Somebody else's text names nobody; it is about to be replaced.
  }
}

/** The file on disk is what its object says, as of the newest version of the object. */
function isInForce({ metadata, status }: ApiObject): boolean {
  const conditions = isArray(status?.conditions) ? status.conditions.filter(isObject) : []
  const ready = conditions.find(({ type }) => type === "Ready")
  return ready?.status === "True" && status?.observedGeneration === metadata.generation
}

function configOf(spec: BalancerSpec, backends: readonly BackendAddress[]): BalancerConfig {
  const ms = (seconds: number) => Math.round(seconds * 1000)
  return {
    format: 1,
    listen: { ...spec.listen },
    backends: backends.map((one) => ({ ...one })),
    connectionsMax: spec.connectionsMax,
    connectTimeoutMs: ms(spec.connectTimeoutSeconds),
    waitMs: ms(spec.waitSeconds),
    drainMs: ms(spec.drainSeconds),
    ejectMs: ms(spec.ejectSeconds),
    retryBeforeFirstByte: spec.retryBeforeFirstByte,
  }
}

function fileOf(
  { name, namespace }: ObjectMeta,
  config: BalancerConfig,
  { configFile }: BalancerSpec,
): ApiObject {
  return {
    apiVersion: "host.setpoint.dev/v1",
    kind: "File",
    metadata: { name: `${name}-backends`, ...(namespace === undefined ? {} : { namespace }) },
    spec: { path: configFile, mode: "0600", content: `${jsonText(config)}\n` },
  }
}

function setOf(
  { name, namespace }: ObjectMeta,
  { configFile, health, replicas, drainSeconds }: BalancerSpec,
  program: readonly string[],
): ApiObject {
  const template = {
    command: [...program, ...["balancer", "--config", configFile, "--health", "$(SETPOINT_PORT)"]],
    probes: {
      startup: { http: { path: "/live" }, periodSeconds: 0.2, failureThreshold: 300 },
      readiness: { http: { path: "/ready" }, periodSeconds: 0.5, timeoutSeconds: 2 },
      liveness: { http: { path: "/live" }, periodSeconds: 5, timeoutSeconds: 5 },
    },
    backoff: { initialSeconds: 1, maxSeconds: 30 },
    stopGraceSeconds: Math.min(300, Math.ceil(drainSeconds) + 5),
  }
  return {
    apiVersion: `${setGroup}/v1`,
    kind: "ProcessSet",
    metadata: { name: `${name}-balancer`, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      ...{ replicas, template, ports: { base: health.base }, drainSeconds: 0 },
      strategy: { minReadySeconds: 1 },
    },
  }
}

function availableCondition(backends: number, balancers: number): ConditionInput & JsonObject {
  const message = `${balancers} balancers, ${backends} replicas to send clients to`
  const works = backends > 0 && balancers > 0
  const reason = works ? "Serving" : backends === 0 ? "NoBackends" : "NoBalancer"
  return { type: "Available", status: works ? "True" : "False", reason, message }
}
