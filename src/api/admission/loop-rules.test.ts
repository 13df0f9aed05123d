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
  it.each([["spec.source.git", { source: { git: { url: "https://example.com/a.git" } } }]])(
    "is refused when it asks for what nothing honours yet: %s",
    async (field, asked) => {
      await expect(loopAdmission.admit(request({ ...base, ...asked }))).rejects.toThrow(field)
    },
  )

  it.each([
    ["four fields", { schedule: "0 2 * *", duration: "1h" }],
    ["minute 99", { schedule: "99 2 * * *", duration: "1h" }],
    ["a day that never comes", { schedule: "0 0 30 2 *", duration: "1h" }],
    ["an unknown zone", { schedule: "0 2 * * *", duration: "1h", timeZone: "Mars/Olympus" }],
    ["no length", { schedule: "0 2 * * *", duration: "0s" }],
  ])("is refused with a window of %s", async (_what, window) => {
    const asked = request({ ...base, windows: [window] })
    await expect(loopAdmission.admit(asked)).rejects.toThrow("spec.windows[0]")
  })

  it("is admitted with a window in a time zone", async () => {
    const window = { schedule: "0 2 * * 1-5", duration: "1h", timeZone: "Europe/Berlin" }
    const asked = request({ ...base, windows: [window] })
    await expect(loopAdmission.admit(asked)).resolves.toBe(asked.object)
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
