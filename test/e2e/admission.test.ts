// The real kubectl with policies and webhooks on a real plane: applied as for Kubernetes, refused
// in words that kubectl prints.

import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { patching, WebhookServer } from "../conformance/webhook-server.ts"
import { requireClient } from "../tools.ts"
import { type Ran, ServedPlane } from "./clients/served-plane.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const program = requireClient("kubectl-1.35")

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: short-values}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConditions:
  - {name: not-free, expression: "object.metadata.name != 'free'"}
  variables:
  - {name: longest, expression: "object.data.map(k, object.data[k].size())"}
  validations:
  - expression: "!has(object.data) || variables.longest.all(n, n <= int(params.data.most))"
    messageExpression: "'at most ' + params.data.most + ' characters each'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: short-values}
spec:
  policyName: short-values
  validationActions: [Deny]
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
`

const configMap = (name: string, value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default}
data: {a: "${value}"}
`

describe.skipIf(program.missing)("kubectl on a plane with admission", () => {
  let plane: ServedPlane
  let server: WebhookServer
  /** Not waited for in place: the webhook answers in this process. */
  const kubectl = (args: string, input = ""): Promise<Ran> =>
    new Promise((resolve) => {
      const { environment: env, base: cwd } = plane
      const child = execFile(
        program.path,
        args.split(" "),
        { env, cwd, timeout: 60_000 },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      )
      child.stdin?.end(input)
    })
  const ok = async (args: string, input = "") => {
    const { code, out, err } = await kubectl(args, input)
    expect(`${args}: ${code} ${code === 0 ? "" : err}`).toBe(`${args}: 0 `)
    return { out, err }
  }

  beforeAll(async () => {
    server = new WebhookServer()
    await server.listen()
    plane = new ServedPlane("--webhook-service", `tools/hook=127.0.0.1:${server.port}`)
    await plane.start()
  })
  afterAll(async () => {
    await plane?.close()
    await server?.close()
  })

  it("applies a policy with its binding, and reads them back", async () => {
    await ok("create configmap limits --from-literal=most=5")
    const file = join(plane.base, "policy.yaml")
    writeFileSync(file, policy)
    const { out } = await ok(`apply -f ${file}`)
    expect(out).toContain(
      "validatingadmissionpolicy.admissionregistration.k8s.io/short-values created",
    )
    expect((await ok(`apply -f ${file}`)).out).toContain("short-values unchanged")
    expect((await ok(`apply --server-side --force-conflicts -f ${file}`)).out).toContain(
      "serverside-applied",
    )
    expect((await ok("get validatingadmissionpolicies")).out).toMatch(
      /short-values +1 +v1\/ConfigMap/,
    )
    expect((await ok("get validatingadmissionpolicybinding short-values")).out).toMatch(
      /short-values +short-values +\S*limits/,
    )
    expect((await ok("explain validatingadmissionpolicy.spec.validations")).out).toContain(
      "expression",
    )
  })

  it("is told why by the policy", async () => {
    expect((await ok("apply -f -", configMap("small", "12345"))).out).toContain("created")
    await ok("apply -f -", configMap("free", "1234567"))
    const { code, err } = await kubectl("apply -f -", configMap("large", "123456"))
    expect(code).toBe(1)
    expect(err).toContain(
      "ValidatingAdmissionPolicy 'short-values' with binding 'short-values' denied request: " +
        "at most 5 characters each",
    )
    const dry = await kubectl("create cm other --from-literal=a=1234567 --dry-run=server")
    expect(dry.code).toBe(1)
    await ok("delete validatingadmissionpolicybinding short-values")
    expect((await ok("apply -f -", configMap("large", "123456"))).out).toContain("created")
  })

  const hooks = (kind: string, path: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: {name: ${path}}
webhooks:
- name: ${path}.test.dev
  clientConfig:
    service: {namespace: tools, name: hook, path: /${path}}
    caBundle: ${server.caBundle}
  rules:
  - {apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"]}
  sideEffects: None
  admissionReviewVersions: ["v1"]
  timeoutSeconds: 5
`

  it("sees what a webhook adds, warns of and refuses", async () => {
    const label = { op: "add", path: "/metadata/labels", value: { touched: "yes" } }
    server.replies.set("/touch", ({ operation }) =>
      operation === "DELETE"
        ? { allowed: true }
        : { ...patching(label), warnings: ["was touched"] },
    )
    await ok("apply -f -", hooks("Mutating", "touch"))
    const made = await ok("apply -f -", configMap("hooked", "x"))
    expect(made.err).toContain("Warning: was touched")
    const touched = await ok("get cm hooked -o jsonpath={.metadata.labels.touched}")
    expect(touched.out).toBe("yes")
    const status = { code: 403, message: "keep it" }
    server.replies.set("/keep", ({ operation }) => ({ allowed: operation !== "DELETE", status }))
    await ok("apply -f -", hooks("Validating", "keep"))
    const { code, err } = await kubectl("delete cm hooked")
    expect(code).toBe(1)
    expect(err).toContain('admission webhook "keep.test.dev" denied the request: keep it')
    expect((await ok("get validatingwebhookconfigurations")).out).toContain("keep")
    await ok("delete validatingwebhookconfiguration keep")
    await ok("delete cm hooked")
  })

  it("is told of a webhook that can't be used as configured", async () => {
    const plain = hooks("Validating", "plain").replace(/service: .*/, "url: http://a.test/")
    const { err } = await kubectl("apply -f -", plain)
    expect(err).toContain("webhooks[0].clientConfig.url")
    expect(err).toContain("'https' is the only allowed URL scheme")
  })
})
