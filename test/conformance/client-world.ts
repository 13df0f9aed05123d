// A whole API over a memory store for tests, with a judge that each test may script.

import { type Api, openApi } from "../../src/api/verbs.ts"
import { systemClock, systemRandom } from "../../src/base/system.ts"
import type { DeleteJudgement, DeleteRequest } from "../../src/contract/delete-judge.ts"
import { enginePrincipal, type Principal } from "../../src/contract/principal.ts"
import type { Store } from "../../src/contract/store.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import { openMemoryStore } from "../../src/store/open-memory-store.ts"

export const alice: Principal = { name: "alice", kind: "human" }
export const things: ResourceRef = { group: "test.dev", version: "v1", resource: "things" }
export const notes: ResourceRef = { group: "test.dev", version: "v1", resource: "notes" }
export const configMaps: ResourceRef = { group: "", version: "v1", resource: "configmaps" }
export const namespaces: ResourceRef = { group: "", version: "v1", resource: "namespaces" }
export const definitions: ResourceRef = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
}
export const loops: ResourceRef = { group: "setpoint.dev", version: "v1alpha1", resource: "loops" }
export const plans: ResourceRef = { group: "setpoint.dev", version: "v1alpha1", resource: "plans" }

export interface ApiWorld extends Api {
  readonly store: Store
  readonly judged: DeleteRequest[]
  readonly rejected: string[]
  judgeWith(answer: (request: DeleteRequest) => DeleteJudgement): void
}

const allowed: DeleteJudgement = { kind: "allowed", reserve: { checks: [], writes: [] } }

/** `things` have a provider, `notes` do not; namespace `default` exists. */
export async function openApiWorld(): Promise<ApiWorld> {
  const store = await openMemoryStore({ clock: systemClock, random: systemRandom })
  const judged: DeleteRequest[] = []
  const rejected: string[] = []
  let answer: (request: DeleteRequest) => DeleteJudgement = () => allowed
  const api = await openApi({
    store,
    clock: systemClock,
    random: systemRandom,
    judge: {
      judge: async (request) => {
        judged.push(request)
        return answer(request)
      },
    },
    hasProvider: (group, resource) => group === "test.dev" && resource === "things",
    rejectPlan: async (principal, plan) => {
      rejected.push(`${principal.name} ${plan.metadata.name}`)
      return { ...plan, status: { phase: "Rejected" } }
    },
  })
  for (const name of ["default", "setpoint-system"]) {
    await api.verbs.create(enginePrincipal, namespaces, namespaceNamed(name))
  }
  for (const kind of ["Thing", "Note"]) {
    await api.verbs.create(alice, definitions, definitionOf(kind))
  }
  const judgeWith = (next: typeof answer) => {
    answer = next
  }
  const close = async () => {
    await api.close()
    await store.close()
  }
  return { ...api, store, judged, rejected, judgeWith, close }
}

export function namespaceNamed(name: string): ApiObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } }
}

export function definitionOf(kind: string): ApiObject {
  const plural = `${kind.toLowerCase()}s`
  const spec = {
    type: "object",
    properties: {
      size: { type: "integer", default: 1, maximum: 100 },
      color: { type: "string" },
      tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      more: { type: "object", additionalProperties: { type: "string" } },
    },
  }
  const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
  const schema = { openAPIV3Schema: { type: "object", properties: { spec, status } } }
  const version = { name: "v1", served: true, storage: true, schema, subresources: { status: {} } }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.test.dev` },
    spec: {
      group: "test.dev",
      scope: "Namespaced",
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        shortNames: [kind.slice(0, 2).toLowerCase()],
      },
      versions: [version],
    },
  }
}

export function thing(name: string, spec: ApiObject["spec"] = {}): ApiObject {
  const metadata = { name, namespace: "default" }
  return { apiVersion: "test.dev/v1", kind: "Thing", metadata, spec }
}

export function note(name: string, spec: ApiObject["spec"] = {}): ApiObject {
  return { ...thing(name, spec), kind: "Note" }
}

export function configMap(name: string, data: Record<string, string> = {}): ApiObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data }
}

/** The fault that a call ends with; fails when it ends well. */
export async function faultOf(task: Promise<unknown>): Promise<{
  code: string
  status: number
  reason: string
  message: string
  hint: string
  details: Readonly<Record<string, string>>
}> {
  try {
    await task
  } catch (error) {
    return error as Awaited<ReturnType<typeof faultOf>>
  }
  throw new Error("the call was expected to fail")
}
