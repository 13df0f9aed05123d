// What real clients learn from discovery and OpenAPI: every kind by every name, what its fields
// mean, and whether an object is valid. An API over a memory store, on a port without TLS.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { full } from "../full.ts"
import { requireClient } from "../tools.ts"
import { MemoryApi, type Ran } from "./clients/memory-api.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const gadgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget, shortNames: [gd], categories: [toys]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        description: A gadget does things.
        properties:
          spec:
            type: object
            description: What it should do.
            required: [port]
            properties:
              port: {x-kubernetes-int-or-string: true, description: Where it listens.}
              maybe: {type: string, nullable: true}
              big: {type: integer, format: int64, maximum: 9223372036854775807}
              mode: {type: string, enum: [fast, slow], description: How it does it.}
              free:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties: {known: {type: string}}
              parts:
                type: object
                additionalProperties: {type: object, properties: {weight: {type: number}}}
  - name: v2beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const gadget = (name: string, spec: string): string => `
apiVersion: example.com/v1
kind: Gadget
metadata: {name: ${name}, namespace: default}
spec: ${spec}
`

interface Client {
  /** What it printed; fails when it fails. */
  ok(args: string, file?: string): Promise<string>
  run(args: string, file?: string): Promise<Ran>
  /** Its caches. */
  forget(): void
  /** Asks for OpenAPI 2 and validates by itself. */
  readonly isOld: boolean
}

const steps: readonly (readonly [string, (client: Client) => Promise<void>])[] = [
  [
    "every built-in kind, with short names and scope",
    async ({ ok }) => {
      const resources = await ok("api-resources")
      expect(resources).toMatch(/namespaces +ns +v1 +false +Namespace/)
      expect(resources).toMatch(/guardpolicies +gp +setpoint\.dev\/v1alpha1 +false +GuardPolicy/)
      expect(resources).not.toContain("gadgets")
      expect(await ok("api-versions")).toContain("setpoint.dev/v1alpha1\n")
    },
  ],

  [
    "a definition as soon as it is made, in all its versions, by all its names",
    async ({ ok }) => {
      await ok("create", gadgetDefinition)
      expect(await ok("api-resources --api-group=example.com -o name")).toBe(
        "gadgets.example.com\n",
      )
      const found = await ok("api-versions")
      expect(found).toContain("example.com/v1\nexample.com/v2beta1\n")
      await ok("create", gadget("first", "{port: http}"))
      expect(await ok("get toys -o name")).toBe("gadget.example.com/first\n")
      for (const word of ["gd", "gadget", "gadgets.example.com", "gadgets.v2beta1.example.com"]) {
        expect(await ok(`get ${word} first -o name`)).toContain("first")
      }
      expect(await ok("get gd first -o jsonpath={.apiVersion}")).toBe("example.com/v1")
    },
  ],

  [
    "what kinds and fields mean",
    async ({ ok, run }) => {
      const limits = await ok("explain loop.spec.limits")
      expect(limits).toContain("At most so many deletes in a window.")
      expect(limits).toContain("shrinkPercent")
      expect(await ok("explain configmap")).toContain("Configuration as keys and values.")
      expect(await ok("explain cm.metadata.ownerReferences")).toContain("UID of the owner.")
      const spec = await ok("explain gadget.spec")
      expect(spec).toContain("What it should do.")
      expect(spec).toContain("Where it listens.")
      const all = await ok("explain gadget --recursive")
      expect(all).toMatch(/spec\s+<Object>[\s\S]*parts\s+<map\[string\]Object>\s+weight\s+<number>/)
      expect((await run("explain gadget.spec.nothing")).err).toContain("nothing")
    },
  ],

  [
    "what is valid, and nothing that the server would take is refused",
    async ({ ok, run, isOld }) => {
      const good = "{port: 80, maybe: null, free: {any: [1]}, parts: {a: {weight: 1.5}}, big: 7}"
      await ok("create", gadget("good", good))
      await ok("apply", gadget("applied", "{port: a, free: {x: {y: z}}}"))
      const bad = await run("apply", gadget("bad", "{port: 1, prot: 2}"))
      expect(bad.code).toBe(1)
      expect(bad.err).toMatch(isOld ? /unknown field "prot"/ : /unknown field "spec\.prot"/)
      await ok("apply --validate=false", gadget("forced", "{port: 1, prot: 2}"))
    },
  ],

  [
    "how to patch and compare a kind that it does not know",
    async ({ ok, run }) => {
      expect(await ok("apply", gadget("applied", "{port: b}"))).toContain("configured")
      const { code, out } = await run("diff", gadget("applied", "{port: c}"))
      expect(code).toBe(1)
      expect(out).toMatch(/-\s+port: b\n\+\s+port: c/)
      expect(await ok("apply --dry-run=server", gadget("applied", "{port: c}"))).toContain(
        "dry run",
      )
      expect(await ok("get gd applied -o jsonpath={.spec.port}")).toBe("b")
    },
  ],

  [
    "that a definition is gone, or says something else now",
    async ({ ok, run, forget }) => {
      await ok("apply", gadgetDefinition.replace("Where it listens.", "The door."))
      expect(await ok("explain gadget.spec")).toContain("The door.")
      await ok("delete gadgets --all")
      await ok("delete crd gadgets.example.com")
      expect(await ok("api-versions")).not.toContain("example.com/v1")
      forget()
      expect((await run("get gadgets")).err).toContain("doesn't have a resource type")
    },
  ],
]

const versions = ["kubectl-1.35", ...(full ? ["kubectl-1.32"] : []), "kubectl-1.20"]

describe.each(versions)("%s discovers", (name) => {
  const program = requireClient(name)
  const isOld = name === "kubectl-1.20"
  const step = it.skipIf(program.missing)
  let api: MemoryApi

  beforeAll(async () => {
    if (!program.missing) api = await MemoryApi.open(program.path)
  })
  afterAll(() => api?.close())

  /** Each builds on what the ones before left. */
  for (const [what, task] of steps) {
    step(what, () =>
      task({
        isOld,
        run: (args, file) => api.run(args, file),
        ok: async (args, file) => {
          const { code, out, err } = await api.run(args, file)
          expect([args, code, code === 0 ? "" : err]).toEqual([args, 0, ""])
          return out
        },
        forget: () => api.forget(),
      }),
    )
  }
})
