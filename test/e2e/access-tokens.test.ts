// Gate: a token of a service account opens what the account may, for its audience and its time, and
// nothing once the account is another one.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { at, type Json } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { AccessRig, home, other } from "./plane/access-rig.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new AccessRig()
const group = "rbac.authorization.k8s.io"
beforeAll(() => rig.open())
afterAll(() => rig.close())
let rearm = () => {}
afterEach(() => {
  rearm()
  rearm = () => {}
})

describe("tokens of service accounts", () => {
  const accounts = `/api/v1/namespaces/${home}/serviceaccounts`
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bot" } }
  const list = `/api/v1/namespaces/${home}/configmaps`
  const issue = async (spec: Json = {}) => {
    const answer = await rig.call("owner", "POST", `${accounts}/bot/token`, { spec })
    return { ...answer, token: String(at(answer.body, "status", "token") ?? "") }
  }
  const ask = (token: string) => rig.send("GET", list, { authorization: `Bearer ${token}` })

  it("let the account in with its roles, until the account is another one", async () => {
    expect((await rig.call("owner", "POST", accounts, account)).status).toBe(201)
    const { token, status } = await issue()
    expect(status).toBe(201)
    expect((await ask(token)).status).toBe(403)
    const subjects = [{ kind: "ServiceAccount", name: "bot", namespace: home }]
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" }
    const about = { apiVersion: `${group}/v1`, kind: "RoleBinding", metadata: { name: "bot" } }
    const path = `/apis/${group}/v1/namespaces/${home}/rolebindings`
    await rig.call("owner", "POST", path, { ...about, roleRef, subjects })
    expect((await ask(token)).status).toBe(200)
    await rig.call("owner", "DELETE", `${accounts}/bot`)
    expect((await ask(token)).status).toBe(401)
    await rig.call("owner", "POST", accounts, account)
    expect((await ask(token)).status).toBe(401)
    rearm = disarm("tokens-end-with-their-account")
    expect((await ask(token)).status, "twin").toBe(200)
  })

  it("are good for their audience only, and not for a wrong one or a changed text", async () => {
    const { token } = await issue({ audiences: ["vault"] })
    expect((await ask(token)).status).toBe(401)
    const review = async (audiences: readonly string[]) => {
      const spec = { token, audiences }
      const path = "/apis/authentication.k8s.io/v1/tokenreviews"
      const answer = await rig.call("owner", "POST", path, { spec })
      expect(answer.text).not.toContain(token)
      return at(answer.body, "status", "authenticated")
    }
    expect(await review(["vault"])).toBe(true)
    expect(await review(["other"])).toBe(undefined)
    expect(await review([])).toBe(undefined)
    const { token: good } = await issue()
    const [head = "", body = "", mark = ""] = good.split(".")
    const forged = Buffer.from(
      Buffer.from(body, "base64url").toString().replaceAll(home, other),
    ).toString("base64url")
    const none = Buffer.from('{"alg":"none"}').toString("base64url")
    for (const bad of [`${head}.${forged}.${mark}`, `${none}.${body}.`, `${head}.${body}.`]) {
      expect((await ask(bad)).status).toBe(401)
    }
  })

  it("are refused when they shall last too short, too long, or for something else", async () => {
    for (const spec of [
      { expirationSeconds: 599 },
      { expirationSeconds: 1e9 },
      { audiences: [1] },
      { boundObjectRef: { kind: "Pod", name: "x" } },
    ]) {
      expect((await issue(spec)).status, JSON.stringify(spec)).toBe(422)
    }
  })
})
