import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  alice,
  faultOf,
  namespaceNamed,
  namespaces,
} from "../../../test/conformance/client-world.ts"
import { systemClock, systemRandom } from "../../base/system.ts"
import type { ApiObject } from "../../object/object.ts"
import { openMemoryStore } from "../../store/open-memory-store.ts"
import { type Api, openApi } from "../verbs.ts"

const deployments = { group: "apps", version: "v1", resource: "deployments" }

let api: Api
beforeAll(async () => {
  const store = await openMemoryStore({ clock: systemClock, random: systemRandom })
  api = await openApi({
    ...{ store, clock: systemClock, random: systemRandom, workloadKinds: true },
    judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
    hasProvider: () => false,
  })
  await api.verbs.create(alice, namespaces, namespaceNamed("default"))
})
afterAll(() => api.close())

const container = { name: "web", image: "nginx", ports: [{ containerPort: 80 }] }
const deployment: ApiObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" }, creationTimestamp: null },
      spec: { containers: [container] },
    },
  },
}

describe("workload kinds", () => {
  it("are served with status, scale and the category all", () => {
    const named = (name: string) => api.registry.lookup(name)[0]
    for (const name of ["po", "svc", "deploy", "rs", "sts", "ds", "job", "cj", "hpa"]) {
      expect(named(name)?.categories, name).toEqual(["all"])
    }
    for (const name of ["no", "ep", "endpointslice", "pv", "pvc", "ing", "netpol", "pdb"]) {
      expect(named(name), name).toBeDefined()
    }
    expect(named("deploy")).toMatchObject({ statusSubresource: true, namespaced: true })
    expect(named("deploy")?.scale).toMatchObject({ spec: ".spec.replicas" })
    expect(named("no")).toMatchObject({ namespaced: false })
  })

  it("are stored as they are written, with the defaults that make list keys", async () => {
    const { object, warnings } = await api.verbs.create(alice, deployments, deployment)
    expect(warnings).toEqual([])
    expect(object.spec?.template).toEqual({
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ ...container, ports: [{ containerPort: 80, protocol: "TCP" }] }] },
    })
  })

  it("are selected by the fields that Kubernetes selects them by", async () => {
    const pods = { group: "", version: "v1", resource: "pods" }
    for (const [name, nodeName] of Object.entries({ a: "node-1", b: "node-2" })) {
      const spec = { nodeName, containers: [container] }
      const metadata = { name, namespace: "default" }
      const pod = { apiVersion: "v1", kind: "Pod", metadata, spec }
      const { object } = await api.verbs.create(alice, pods, pod as ApiObject)
      const status = { phase: name === "a" ? "Running" : "Failed" }
      await api.verbs.updateStatus(alice, pods, { ...object, status } as ApiObject)
    }
    const selected = async (resource: typeof pods, fieldSelector: string) => {
      const { items } = await api.verbs.list(alice, resource, { fieldSelector })
      return items.map(({ metadata }) => metadata.name)
    }
    expect(await selected(pods, "spec.nodeName=node-1")).toEqual(["a"])
    expect(await selected(pods, "status.phase!=Failed,status.phase!=Succeeded")).toEqual(["a"])
    expect(await selected(pods, "spec.hostNetwork=false,spec.nodeName=node-2")).toEqual(["b"])
    const jobs = { group: "batch", version: "v1", resource: "jobs" }
    expect(await selected(jobs, "status.successful=1")).toEqual([])
    const wrong = selected(deployments, "status.replicas=0")
    expect(await faultOf(wrong)).toMatchObject({ status: 400 })
  })

  it("refuse unknown fields and wrong types", async () => {
    const other = { ...deployment, metadata: { name: "odd", namespace: "default" } }
    const odd = { ...other, spec: { ...deployment.spec, replicas: "two" } }
    expect(await faultOf(api.verbs.create(alice, deployments, odd))).toMatchObject({ status: 422 })
    const unknown = { ...other, spec: { ...deployment.spec, sizes: 1 } }
    const strict = { fieldValidation: "Strict" } as const
    const fault = await faultOf(api.verbs.create(alice, deployments, unknown, strict))
    expect(fault.message).toContain("spec.sizes")
  })

  it("merge lists by key when they are applied", async () => {
    const apply = (manager: string, containers: object[]) => {
      const template = { metadata: { labels: { app: "web" } }, spec: { containers } }
      const spec = { ...deployment.spec, template } as ApiObject["spec"]
      const options = { fieldManager: manager, force: true }
      return api.verbs.apply(alice, deployments, { ...deployment, spec } as ApiObject, options)
    }
    await apply("a", [container])
    const { object } = await apply("b", [{ name: "log", image: "log" }])
    expect(JSON.stringify(object.spec)).toContain('"nginx"')
    expect(JSON.stringify(object.spec)).toContain('"log"')
  })
})

describe("a plane that does not ask for them", () => {
  it("serves none", async () => {
    const store = await openMemoryStore({ clock: systemClock, random: systemRandom })
    const plain = await openApi({
      ...{ store, clock: systemClock, random: systemRandom },
      judge: { judge: async () => ({ kind: "denied", reasons: [] }) },
      hasProvider: () => false,
    })
    expect(plain.registry.lookup("pods")).toEqual([])
    await plain.close()
  })
})
