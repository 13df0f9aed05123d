// Everything by which somebody is let in, made and used once: tokens of people and of service
// accounts, the owner's certificate, a one-time link, cookies of sessions. All of it is hunted.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { at, type Json } from "../../../src/base/json.ts"
import type { PlaneRig } from "../plane/plane-rig.ts"
import type { CanarySearch } from "./canary-search.ts"
import { askRaw } from "./raw-request.ts"

type Setpoint = (...args: readonly string[]) => string

export async function signIns(plane: PlaneRig, search: CanarySearch, setpoint: Setpoint) {
  const owner = readFileSync(join(plane.data, "token"), "utf8").trim()
  search.hunt("token of the owner", owner, "data/token")
  const bob = setpoint("token", "create", "bob", "--kind", "human").trim().split("\n").at(-1) ?? ""
  search.hunt("token of bob", bob)
  search.hunt("token of nobody", "canary-nobody-4c9e")
  const robot = await accountToken(plane)
  search.hunt("token of an account", robot)
  search.hunt("signature of that token", robot.split(".")[2] ?? "")
  const path = "/api/v1/namespaces/default/secrets"
  for (const [token, status] of [
    [bob, 200],
    [robot, 403],
    ["canary-nobody-4c9e", 401],
  ] as const) {
    const said = await askRaw(plane, { method: "GET", path: `${path}?limit=0`, token })
    expect(said.status).toBe(status)
    if (status !== 200) search.place(`answer ${status}`, said.headers + said.text)
  }
  // In a query nobody is let in by it; that such a path is logged is the danger.
  const query = await askRaw(plane, { method: "GET", path: `${path}/none?access_token=${robot}` })
  search.place("answer query", query.headers + query.text)
  await pageSessions(search, owner, setpoint)
}

async function accountToken(plane: PlaneRig): Promise<string> {
  const accounts = { group: "", version: "v1", resource: "serviceaccounts" }
  const metadata = { name: "robot", namespace: "default" }
  await plane.client.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata })
  const path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
  const answer = await plane.client.call("POST", path, {
    ...{ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  })
  return String(at(answer as Json, "status", "token"))
}

const own = { "setpoint-dashboard": "1", "content-type": "application/json" }

/** A page by its one-time link, and one by a token that was typed in. */
async function pageSessions(search: CanarySearch, owner: string, setpoint: Setpoint) {
  const link = /https?:\/\/\S+/.exec(setpoint("dashboard"))?.[0] ?? ""
  const { origin } = new URL(link)
  search.hunt("one-time link", link)
  search.hunt("code of that link", /[0-9a-f]{32,}/.exec(link)?.[0] ?? "")
  const post = (body: Json) => ({ method: "POST", headers: own, body: JSON.stringify(body) })
  const [linked, again, typed, wrong] = [
    await fetch(link, { redirect: "manual" }),
    await fetch(link, { redirect: "manual" }),
    await fetch(`${origin}/dashboard/sign-in`, post({ token: owner })),
    await fetch(`${origin}/dashboard/sign-in`, post({ token: "canary-nobody-4c9e" })),
  ]
  for (const [name, answer] of Object.entries({ linked, typed })) {
    const cookie = /^setpoint-\d+=(\w+)/.exec(answer.headers.getSetCookie().join())?.[1] ?? ""
    search.hunt(`cookie of a page ${name}`, cookie)
    const headers = { cookie: answer.headers.getSetCookie().join().split(";")[0] ?? "" }
    const session = await fetch(`${origin}/dashboard/session`, { headers })
    search.place(`answer session ${name}`, await session.text())
    search.place(`answer ${name}`, `${answer.status} ${await answer.text()}`)
  }
  for (const [name, answer] of Object.entries({ again, wrong })) {
    expect(answer.headers.getSetCookie()).toEqual([])
    search.place(`answer ${name}`, `${answer.status} ${await answer.text()}`)
  }
}
