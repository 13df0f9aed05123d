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

const judged = async (asked: AdmissionRequest) => loopAdmission.admit(asked)

describe("a loop that is promoted", () => {
  const promoted = (source: JsonObject) => request({ ...base, source })
  const git = { url: "https://host/a.git", interval: "1m" }

  it("names another loop of a git repository", async () => {
    const source = { git, promotion: { from: "staging", cleanRounds: 3 } }
    await expect(judged(promoted(source))).resolves.toBeDefined()
  })

  it.each([
    ["a folder as its source", { directory: { path: "/a" }, promotion: { from: "staging" } }],
    ["itself", { git, promotion: { from: "site" } }],
    ["itself by its id", { git, promotion: { from: "default.site" } }],
    [
      "signed tags, which it would never see",
      { git: { ...git, verify: { what: "TagOrCommit" } }, promotion: { from: "staging" } },
    ],
  ])("is refused with %s", async (_what, source) => {
    const answer = judged(promoted(source))
    await expect(answer).rejects.toThrow(/spec.source.promotion/)
  })
})

describe("a loop", () => {
  const git = (more: JsonObject) =>
    request({ ...base, source: { git: { url: "https://host/a.git", interval: "1m", ...more } } })

  it.each([
    ["a password in the address", "url", { url: "https://ann:hunter2@host/a.git" }],
    ["a token in the address", "url", { url: "https://ghp_0123456789@host/a.git" }],
    ["an address that is an option", "url", { url: "--upload-pack=touch /tmp/x" }],
    ["a helper as an address", "url", { url: "ext::sh -c id" }],
    ["a path of this host as an address", "url", { url: "/srv/a.git" }],
    ["two refs", "ref", { ref: { branch: "main", tag: "v1" } }],
    ["a branch that is an option", "ref", { ref: { branch: "--upload-pack=id" } }],
    ["a tag with dots that climb", "ref", { ref: { tag: "a/../b" } }],
    ["a range that nobody understands", "semver", { ref: { semver: "newest" } }],
    ["a folder above the tree", "path", { path: "../other" }],
  ])("is refused with %s", async (_what, field, asked) => {
    const answer = judged(git(asked))
    await expect(answer).rejects.toThrow(new RegExp(`spec\\.source\\.git.*${field}`))
    await expect(answer).rejects.not.toThrow(/hunter2|ghp_/)
  })

  it.each([
    ["https", { url: "https://host/a.git", ref: { branch: "feature/x" } }],
    ["ssh", { url: "ssh://git@host:22/a.git", ref: { tag: "v1.0" } }],
    ["the short form of ssh", { url: "git@host:ops/a.git", ref: { semver: "^1.2" } }],
    ["a folder", { path: "environments/prod/" }],
  ])("is admitted with a repository over %s", async (_what, asked) => {
    const wanted = git(asked)
    await expect(judged(wanted)).resolves.toBe(wanted.object)
  })

  it("is refused with two sources", async () => {
    const source = { git: { url: "https://host/a.git", interval: "1m" }, directory: { path: "/a" } }
    await expect(judged(request({ ...base, source }))).rejects.toThrow("one source")
  })

  it.each([
    ["four fields", { schedule: "0 2 * *", duration: "1h" }],
    ["minute 99", { schedule: "99 2 * * *", duration: "1h" }],
    ["a day that never comes", { schedule: "0 0 30 2 *", duration: "1h" }],
    ["an unknown zone", { schedule: "0 2 * * *", duration: "1h", timeZone: "Mars/Olympus" }],
    ["no length", { schedule: "0 2 * * *", duration: "0s" }],
  ])("is refused with a window of %s", async (_what, window) => {
    const asked = request({ ...base, windows: [window] })
    await expect(judged(asked)).rejects.toThrow("spec.windows[0]")
  })

  it("is admitted with a window in a time zone", async () => {
    const window = { schedule: "0 2 * * 1-5", duration: "1h", timeZone: "Europe/Berlin" }
    const asked = request({ ...base, windows: [window] })
    await expect(judged(asked)).resolves.toBe(asked.object)
  })

  it("is admitted with the defaults of those fields", async () => {
    const approvals = { required: 1, separateAuthor: false, expiresAfter: "7d" }
    const asked = request({
      ...base,
      approvals,
      windows: [],
      source: { directory: { path: "/a" } },
    })
    await expect(judged(asked)).resolves.toBe(asked.object)
  })

  it("is refused with an interval that is no duration", async () => {
    const asked = request({ ...base, interval: "soon" })
    await expect(judged(asked)).rejects.toThrow("spec.interval")
  })
})
