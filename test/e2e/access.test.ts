// Gate: a role in one namespace shows nothing of another, nobody gives away or takes more than they
// hold, and every change is in the log of requests.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { at, type Json } from "../../src/base/json.ts"
import { disarm } from "../../src/base/protections.ts"
import { readAuditLines } from "../../src/plane/adapters/audit-log.ts"
import { AccessRig, home, other } from "./plane/access-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new AccessRig()
const secret = "a-canary"
const rbac = "/apis/rbac.authorization.k8s.io/v1"
const files = "/apis/host.setpoint.dev/v1/namespaces"

const fileOf = (namespace: string, name: string): Json => ({
  apiVersion: "host.setpoint.dev/v1",
  kind: "File",
  metadata: { name },
  spec: { path: join(rig.base, namespace, name), content: `${secret} ${namespace}\n` },
})

beforeAll(async () => {
  await rig.open()
  for (const namespace of [home, other]) {
    mkdirSync(join(rig.base, namespace))
    const name = `${namespace}-motd`
    const made = await rig.call(
      "owner",
      "POST",
      `${files}/${namespace}/files`,
      fileOf(namespace, name),
    )
    expect(made.status, made.text).toBe(201)
    await waitFor(`${name} is there`, async () => existsSync(join(rig.base, namespace, name)), {
      deadlineMs: 30_000,
    })
  }
  await holdPlan()
})

/** A plan of the other namespace that waits. */
let plan = ""

async function holdPlan(): Promise<void> {
  const loop = `/apis/setpoint.dev/v1alpha1/namespaces/${other}/loops/default`
  await rig.call("owner", "PATCH", loop, { spec: { mode: "Propose" } })
  await rig.call("owner", "POST", `${files}/${other}/files`, fileOf(other, "held"))
  await waitFor("a plan waits", async () => {
    const { body } = await rig.call("owner", "GET", "/setpoint/v1/plans")
    const [first] = (at(body, "plans") ?? []) as readonly Json[]
    plan = String(at(first, "name") ?? "")
    return plan !== ""
  })
}

afterAll(() => rig.close())
let rearm = () => {}
afterEach(() => {
  rearm()
  rearm = () => {}
})

describe("a role in one namespace", () => {
  const paths = [
    ["a list", `${files}/${other}/files`],
    ["a list of all namespaces", "/apis/host.setpoint.dev/v1/files"],
    ["an object", `${files}/${other}/files/${other}-motd`],
    ["a watch", `${files}/${other}/files?watch=1`],
    ["a watch of all namespaces", "/apis/host.setpoint.dev/v1/files?watch=1"],
    ["the namespace", `/api/v1/namespaces/${other}`],
    ["all namespaces", "/api/v1/namespaces"],
    [
      "one picked by selector",
      `${files}/${other}/files?fieldSelector=metadata.name%3D${other}-motd`,
    ],
    ["explain", `/setpoint/v1/explain?object=files.host.setpoint.dev/${other}/${other}-motd`],
    ["fields", `/setpoint/v1/object?object=files.host.setpoint.dev/${other}/${other}-motd`],
    ["timeline", `/setpoint/v1/timeline?object=files.host.setpoint.dev/${other}/${other}-motd`],
    [
      "history of an object",
      `/setpoint/v1/history?object=files.host.setpoint.dev/${other}/${other}-motd`,
    ],
    ["history of a loop", `/setpoint/v1/history?loop=${other}.default`],
    ["report", `/setpoint/v1/report?loop=${other}.default`],
    ["inventory of a loop", `/setpoint/v1/inventory?loop=${other}.default`],
    ["audit", `/setpoint/v1/audit/entries?loop=${other}.default`],
    ["search of a journal", `/setpoint/v1/journal?loop=${other}.default`],
    ["a record of a journal", `/setpoint/v1/journal/${other}.default/1`],
  ] as const

  it.each(paths)("does not show %s elsewhere, whether it exists or not", async (_, path) => {
    const answer = await rig.call("admin", "GET", path)
    expect(answer.status).toBe(403)
    const missing = await rig.call("admin", "GET", path.replaceAll(`${other}-motd`, "missing"))
    expect(missing.status).toBe(403)
    expect(answer.text.replaceAll(`${other}-motd`, "missing")).toBe(missing.text)
    expect(answer.text).not.toContain(secret)
  })

  it.each([
    ["status", "/setpoint/v1/status"],
    ["history", "/setpoint/v1/history"],
    ["objects", "/setpoint/v1/objects"],
    ["changed objects", "/setpoint/v1/objects?after=1.0"],
    ["inventory", "/setpoint/v1/inventory"],
    ["orphans", "/setpoint/v1/inventory?orphans=true"],
    ["plans", "/setpoint/v1/plans"],
    ["a search of journals", "/setpoint/v1/journal?limit=500"],
    ["invariants", "/setpoint/v1/invariants"],
    ["checkpoints", "/setpoint/v1/checkpoints"],
    ["calls in flight", "/setpoint/v1/in-flight"],
    ["broken glasses", "/setpoint/v1/break-glass"],
  ])("sees of %s only its own part", async (_, path) => {
    const mine = await rig.call("view", "GET", path)
    expect(mine.status, mine.text).toBe(200)
    expect(mine.text).not.toContain(other)
    const nobody = await rig.call("none", "GET", path)
    expect(nobody.status).toBe(200)
    expect(nobody.text).not.toMatch(new RegExp(`${other}|${home}`))
  })

  it("twin: without asking the roles, the views show everyone everything", async () => {
    rearm = disarm("views-ask-roles")
    expect((await rig.call("none", "GET", "/setpoint/v1/status")).text).toContain(other)
    expect((await rig.call("none", "GET", "/setpoint/v1/plans")).text).toContain(plan)
    expect((await rig.call("none", "GET", "/setpoint/v1/objects")).text).toContain(`${other}-motd`)
  })

  it("sees what is its own", async () => {
    for (const view of ["status", "history", "inventory", "objects", "objects?after=1.0"]) {
      const path = `/setpoint/v1/${view}`
      expect((await rig.call("view", "GET", path)).text, path).toContain(`${home}.default`)
    }
    const list = await rig.call("view", "GET", `${files}/${home}/files`)
    expect(list.text).toContain(`${home}-motd`)
  })

  it("does not show a Table of another namespace either", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    for (const path of ["/apis/host.setpoint.dev/v1/files", `${files}/${other}/files`]) {
      const headers = { ...rig.headersOf("view"), accept }
      const answer = await rig.send("GET", path, headers)
      expect(answer.status).toBe(403)
      expect(answer.text).not.toContain("motd")
    }
  })

  it("approves no plan of another namespace through a path of its own", async () => {
    const base = "/apis/setpoint.dev/v1alpha1/namespaces"
    const body = { hash: "" }
    const direct = await rig.call("admin", "POST", `${base}/${other}/plans/${plan}/approval`, body)
    expect(direct.code).toBe("SPT-API-029")
    const aside = await rig.call("admin", "POST", `${base}/${home}/plans/${plan}/approval`, body)
    expect(aside.code).toBe("SPT-PLAN-001")
    const seen = await rig.call("admin", "GET", `/setpoint/v1/plans/${plan}`)
    const missing = await rig.call("admin", "GET", "/setpoint/v1/plans/missing")
    expect(seen.status).toBe(403)
    expect(seen.text.replaceAll(plan, "missing")).toBe(missing.text)
    expect((await rig.call("owner", "GET", "/setpoint/v1/plans/missing")).status).toBe(404)
  })
})

describe("approving a looser limit", () => {
  it("takes the verb loosen besides", async () => {
    const loop = `/apis/setpoint.dev/v1alpha1/namespaces/${home}/loops/default`
    await rig.call("owner", "PATCH", loop, { spec: { limits: { deletes: 100 } } })
    let held: Json | undefined
    await waitFor("a plan waits", async () => {
      const { body } = await rig.call("view", "GET", "/setpoint/v1/plans")
      held = ((at(body, "plans") ?? []) as readonly Json[])[0]
      return held !== undefined
    })
    const rules = [{ verbs: ["approve"], apiGroups: ["setpoint.dev"], resources: ["*"] }]
    const place = `${rbac}/namespaces/${home}`
    await rig.call("owner", "POST", `${place}/roles`, role("approver", rules))
    await rig.call("owner", "POST", `${place}/rolebindings`, binding("h", "Role", "approver"))
    const [name, hash] = [String(at(held, "name")), String(at(held, "hash"))]
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/${home}/plans/${name}/approval`
    const refused = await rig.call("none", "POST", path, { hash })
    expect(refused).toMatchObject({ status: 403, code: "SPT-API-029" })
    expect(refused.text).toContain("cannot loosen")
    expect((await rig.call("admin", "POST", path, { hash })).status).toBe(200)
    await rig.call("owner", "DELETE", `${place}/rolebindings/h`)
  })
})

const role = (name: string, rules: Json): Json => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name },
  rules,
})
const binding = (name: string, kind: string, to: string): Json => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: to },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "none" }],
})

describe("giving away", () => {
  const roles = `${rbac}/namespaces/${home}/roles`
  const bindings = `${rbac}/namespaces/${home}/rolebindings`
  const readConfig = [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }]
  const everything = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]

  it("takes holding it, counts at once, and ends at once", async () => {
    expect((await rig.call("admin", "POST", roles, role("reader", readConfig))).status).toBe(201)
    const asked = () => rig.call("none", "GET", `/api/v1/namespaces/${home}/configmaps/missing`)
    expect((await asked()).status).toBe(403)
    const made = await rig.call("admin", "POST", bindings, binding("b", "Role", "reader"))
    expect(made.status, made.text).toBe(201)
    expect((await asked()).status).toBe(404)
    await rig.call("admin", "DELETE", `${bindings}/b`)
    expect((await asked()).status).toBe(403)
  })

  it("is refused for more than one holds, by a role or by a binding", async () => {
    const wide = await rig.call("admin", "POST", roles, role("wide", everything))
    expect(wide).toMatchObject({ status: 403, code: "SPT-API-070" })
    const widened = await rig.call("admin", "PATCH", `${roles}/reader`, { rules: everything })
    expect(widened).toMatchObject({ status: 403, code: "SPT-API-070" })
    const bound = await rig.call(
      "admin",
      "POST",
      bindings,
      binding("c", "ClusterRole", "cluster-admin"),
    )
    expect(bound).toMatchObject({ status: 403, code: "SPT-API-070" })
    const allowed = await rig.call("admin", "POST", bindings, binding("d", "ClusterRole", "view"))
    expect(allowed.status, allowed.text).toBe(201)
    await rig.call("admin", "DELETE", `${bindings}/d`)
  })

  it("is open to whoever has the verbs escalate and bind", async () => {
    const verbs = [
      { verbs: ["escalate", "bind"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["*"] },
    ]
    await rig.call("owner", "POST", roles, role("giver", verbs))
    const give = { ...(binding("giver", "Role", "giver") as object) } as Record<string, Json>
    give.subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "admin" }]
    await rig.call("owner", "POST", bindings, give)
    const made = await rig.call("admin", "POST", roles, role("wide", everything))
    expect(made.status, made.text).toBe(201)
    const bound = await rig.call(
      "admin",
      "POST",
      bindings,
      binding("e", "ClusterRole", "cluster-admin"),
    )
    expect(bound.status, bound.text).toBe(201)
    for (const path of [`${bindings}/e`, `${bindings}/giver`, `${roles}/wide`]) {
      await rig.call("owner", "DELETE", path)
    }
  })

  it("never changes what a binding refers to, and refuses rules that say nothing", async () => {
    await rig.call("owner", "POST", bindings, binding("f", "ClusterRole", "view"))
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" }
    const changed = await rig.call("owner", "PATCH", `${bindings}/f`, { roleRef })
    expect(changed.status).toBe(422)
    expect(changed.text).toContain("cannot change roleRef")
    await rig.call("owner", "DELETE", `${bindings}/f`)
    for (const rules of [
      [{ verbs: [], apiGroups: [""], resources: ["x"] }],
      [{ verbs: ["get"] }],
      [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
    ]) {
      expect((await rig.call("owner", "POST", roles, role("empty", rules))).status).toBe(422)
    }
  })

  it("twin: without the rule an administrator of a namespace takes everything", async () => {
    rearm = disarm("no-escalation")
    const bound = await rig.call(
      "admin",
      "POST",
      bindings,
      binding("g", "ClusterRole", "cluster-admin"),
    )
    expect(bound.status).toBe(201)
    await rig.call("owner", "DELETE", `${bindings}/g`)
  })
})

describe("speaking as another", () => {
  const as = (who: "owner" | "edit" | "admin", headers: Record<string, string | string[]>) => ({
    ...rig.headersOf(who),
    ...headers,
  })
  const me = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
  const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

  it("is for whom a role allows it, with every part of it", async () => {
    const headers = as("owner", {
      "impersonate-user": "alice",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-team%2Fname": "x",
    })
    const { body } = await rig.send("POST", review, headers, me)
    const user = { username: "alice", groups: ["a", "b", "system:authenticated"] }
    expect(at(body, "status", "userInfo")).toMatchObject({ ...user, extra: { "team/name": ["x"] } })
    const refused = await rig.send("POST", review, as("admin", { "impersonate-user": "alice" }), me)
    expect(refused).toMatchObject({ status: 403, code: "SPT-API-029" })
    const account = (namespace: string) => `system:serviceaccount:${namespace}:bot`
    const mine = as("edit", { "impersonate-user": account(home) })
    expect((await rig.send("POST", review, mine, me)).status).toBe(201)
    const theirs = as("edit", { "impersonate-user": account(other) })
    expect((await rig.send("POST", review, theirs, me)).status).toBe(403)
    const masters = as("edit", {
      "impersonate-user": account(home),
      "impersonate-group": "system:masters",
    })
    expect((await rig.send("POST", review, masters, me)).status).toBe(403)
  })

  it.each([["setpoint:engine"], ["setpoint-source/default.site"]])(
    "is never for %s",
    async (name) => {
      const answer = await rig.send("POST", review, as("owner", { "impersonate-user": name }), me)
      expect(answer).toMatchObject({ status: 400, code: "SPT-API-071" })
    },
  )

  it("gives nobody the word of another: whoever does it decides nothing", async () => {
    const { body } = await rig.call("owner", "GET", "/setpoint/v1/plans")
    const [first] = (at(body, "plans") ?? []) as readonly Json[]
    const path = `/apis/setpoint.dev/v1alpha1/namespaces/${other}/plans/${plan}/approval`
    const headers = as("owner", {
      "impersonate-user": "alice",
      "impersonate-group": "system:masters",
    })
    const answer = await rig.send("POST", path, headers, { hash: String(at(first, "hash")) })
    expect(answer).toMatchObject({ status: 403, code: "SPT-PLAN-005" })
  })

  it("leaves the one who really did it as the author of a change", async () => {
    const headers = as("owner", {
      "impersonate-user": "alice",
      "impersonate-group": "system:masters",
    })
    const path = `${files}/${home}/files/${home}-motd`
    const spec = { spec: { content: "changed\n" } }
    expect((await rig.send("PATCH", path, headers, spec)).status).toBe(200)
    const { text } = await rig.call("owner", "GET", path)
    expect(text).toMatch(/"setpoint.dev\/authors":"(?!alice)/)
  })
})

describe("the log of requests", () => {
  it("has who changed what, who was refused, and no bodies", async () => {
    const headers = { ...rig.headersOf("owner"), "impersonate-user": "alice", "audit-id": "abc-1" }
    await rig.send("DELETE", `/api/v1/namespaces/${home}/configmaps/missing`, headers)
    const lines = [...readAuditLines(rig.directory, 0)]
    expect(lines.find(({ id }) => id === "abc-1")).toMatchObject({
      ...{ user: "alice", kind: "service", verb: "delete", resource: "configmaps" },
      ...{ namespace: home, name: "missing", code: 403, fault: "SPT-API-029", source: "socket" },
    })
    expect(lines.find(({ id }) => id === "abc-1")?.impersonator).toBeTruthy()
    expect(lines.some(({ code, verb }) => code === 201 && verb === "create")).toBe(true)
    const folder = join(rig.directory, "audit")
    const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
    expect(text.join("")).not.toContain(secret)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })
})
