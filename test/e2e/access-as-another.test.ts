// Speaking as another, where it could be lost, outlast its right, or leave no trace.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { readAuditLines } from "../../src/plane/adapters/audit-log.ts"
import { AccessRig, home } from "./plane/access-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new AccessRig()
beforeAll(() => rig.open())
afterAll(() => rig.close())

const missing = `/api/v1/namespaces/${home}/configmaps/missing`

describe("speaking as another", () => {
  it("is never lost behind many other headers", async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x-${at}`, "1"]))
    const headers = { ...many, ...rig.headersOf("owner"), "impersonate-user": "alice" }
    const me = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
    const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    const { text } = await rig.send("POST", review, headers, me)
    expect(text).toContain('"username":"alice"')
  })

  it("opens no session of a browser, which would outlast it", async () => {
    const link = "/setpoint/v1/dashboard/link"
    for (const name of ["alice", `system:serviceaccount:${home}:bot`]) {
      const headers = { ...rig.headersOf("owner"), "impersonate-user": name }
      expect(await rig.send("POST", link, headers, {})).toMatchObject({ code: "SPT-API-054" })
    }
    expect((await rig.send("POST", link, rig.headersOf("owner"), {})).status).toBe(200)
  })

  it("is in the log of requests also where it was refused", async () => {
    const headers = { ...rig.headersOf("edit"), "impersonate-user": "alice", "audit-id": "abc-2" }
    await rig.send("DELETE", missing, headers)
    const tried = [...readAuditLines(rig.directory, 0)].find(({ id }) => id === "abc-2")
    expect(tried).toMatchObject({ verb: "delete", code: 403, fault: "SPT-API-029" })
    // Who was not allowed to speak as another asked in their own name.
    expect(tried?.user).not.toBe("alice")
  })
})

describe("the log of requests", () => {
  it("leaves questions out, and nothing else of their groups", async () => {
    const asked = { ...rig.headersOf("owner"), "audit-id": "abc-3" }
    await rig.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", asked, {})
    const like = { ...rig.headersOf("owner"), "audit-id": "abc-4" }
    await rig.send("DELETE", "/apis/authorization.k8s.io/v1/likereviews/a", like)
    const lines = [...readAuditLines(rig.directory, 0)]
    expect(lines.filter(({ id }) => ["abc-3", "abc-4"].includes(id))).toMatchObject([
      { id: "abc-4", resource: "likereviews" },
    ])
  })
})
