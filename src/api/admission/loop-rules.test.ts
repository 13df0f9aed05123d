import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { AdmissionRequest } from "../../contract/admission.ts"
import { loopAdmission } from "./loop-rules.ts"

const base: JsonObject = {
  ...{ mode: "Enforce", interval: "5m", limits: { window: "10m" } },
  ...{ approvals: { expiresAfter: "7d" }, sourceMaxAge: "1h", deletionDeadline: "1h" },
}

function request(spec: JsonObject): AdmissionRequest {
  const key = { group: "setpoint.dev", resource: "loops", namespace: "default", name: "site" }
  const metadata = { name: "site", namespace: "default" }
  return {
    ...{ operation: "create", subresource: "", key, kind: "Loop", version: "v1alpha1" },
    principal: { name: "ann", kind: "human" },
    namespaced: true,
    object: { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec },
    dryRun: false,
    warn: () => {},
  }
}

describe("a loop", () => {
  it.each([
    ["spec.windows", { windows: [{ schedule: "0 2 * * *", duration: "1h" }] }],
    ["spec.source.git", { source: { git: { url: "https://example.com/a.git" } } }],
  ])("is refused when it asks for what nothing honours yet: %s", async (field, asked) => {
    await expect(loopAdmission.admit(request({ ...base, ...asked }))).rejects.toThrow(field)
  })

  it("is admitted with the defaults of those fields", async () => {
    const approvals = { required: 1, separateAuthor: false, expiresAfter: "7d" }
    const asked = request({
      ...base,
      approvals,
      windows: [],
      source: { directory: { path: "/a" } },
    })
    await expect(loopAdmission.admit(asked)).resolves.toBe(asked.object)
  })

  it("is refused with an interval that is no duration", async () => {
    const asked = request({ ...base, interval: "soon" })
    await expect(loopAdmission.admit(asked)).rejects.toThrow("spec.interval")
  })
})
