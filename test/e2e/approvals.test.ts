// Gate: on the command line, with tokens of different people, a service and an agent: stale,
// replayed, self-given, expired and agent-given approvals are refused, each with a clear reason.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { at, type Json } from "../../src/base/json.ts"
import { fileManifest } from "./cli-client-rig.ts"
import { CliRig, type Finished } from "./cli-server-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const rig = new CliRig()

const loop = (name: string, approvals: string): string =>
  [
    "apiVersion: setpoint.dev/v1alpha1",
    "kind: Loop",
    `metadata: {name: ${name}}`,
    "spec:",
    "  mode: Propose",
    `  approvals: ${approvals}`,
    ...(name === "default" ? [] : [`  source: {directory: {path: ./${name}}}`]),
    "",
  ].join("\n")

/** Declares one file in the folder of a loop. */
const declare = (folder: string, name: string, content: string) =>
  writeFileSync(rig.path("loops", folder, `${name}.yaml`), fileManifest(rig, name, content))

beforeAll(async () => {
  for (const folder of ["out", "loops", "loops/two", "loops/brief"]) mkdirSync(rig.path(folder))
  writeFileSync(rig.path("loops", "two.yaml"), loop("two", "{required: 2}"))
  writeFileSync(rig.path("loops", "brief.yaml"), loop("brief", "{expiresAfter: 2s}"))
  declare("two", "a", "first")
  await rig.start("up", "loops").said(/watching|held/)
  for (const [name, kind] of [
    ["bob", "human"],
    ["robo", "agent"],
    ["deploy", "service"],
  ]) {
    const made = await rig.run(
      ...["token", "create", name ?? "", "--kind", kind ?? "", "--file", `${name}.token`],
    )
    expect(made).toMatchObject({ code: 0, stderr: "" })
  }
})
afterAll(() => rig.close())

const as = (who: string, ...args: string[]): Promise<Finished> =>
  rig.run("--token", `${who}.token`, ...args)

async function plans(...args: string[]): Promise<readonly Json[]> {
  const { stdout } = await rig.run("plans", "-o", "json", ...args)
  const all = at(JSON.parse(stdout) as Json, "plans")
  return Array.isArray(all) ? all : []
}

/** Name of the plan of this loop that waits, once it is there. */
async function waiting(name: string): Promise<string> {
  let found = ""
  await waitFor(`a plan of ${name} waits`, async () => {
    const open = (await plans()).find((plan) => at(plan, "loop") === `default.${name}`)
    found = String(at(open, "name") ?? "")
    return found !== "" || "none"
  })
  return found
}

const content = (name: string) => readFileSync(rig.path("out", name), "utf8")

describe("approving on the command line", () => {
  it("takes two different people, no agent, no service, nobody twice, nothing twice", async () => {
    const plan = await waiting("two")
    const agent = await as("robo", "approve", plan, "--yes")
    expect(agent.code).toBe(1)
    expect(agent.stderr).toContain(
      `cannot approve plan ${plan}: robo is an agent, and only people decide [SPT-PLAN-005]`,
    )
    const service = await as("deploy", "approve", plan, "--yes")
    expect(service.stderr).toContain("deploy is a service, and only people decide [SPT-PLAN-005]")
    const first = await rig.run("approve", plan, "--yes")
    expect(first.code).toBe(3)
    expect(first.stdout).toContain("needs:    2 different people, 0 so far")
    expect(first.stdout).toContain("approved; 1 of 2 people so far, so nothing runs yet")
    expect((await rig.run("plans")).stdout).toMatch(/Approved \(1 of 2\).*in 6d/)
    const again = await rig.run("approve", plan, "--yes")
    expect(again.stderr).toMatch(/approved it already \[SPT-PLAN-013\]/)
    expect(again.stderr).toContain("2 different people have to approve it")
    expect(existsSync(rig.path("out", "a"))).toBe(false)
    const second = await as("bob", "approve", plan, "--yes")
    expect(second.stdout).toContain(`plan ${plan} is Done`)
    expect(second.code).toBe(0)
    expect(content("a")).toBe("first\n")
    const replayed = await as("bob", "approve", plan, "--yes")
    expect(replayed.code).toBe(1)
    expect(replayed.stderr).toMatch(/it is Done, and the approval by \w+, bob is used for it/)
    expect(replayed.stderr).toContain("[SPT-PLAN-010]")
  })

  it("refuses what is stale, and names what changed", async () => {
    declare("two", "a", "second")
    const plan = await waiting("two")
    writeFileSync(rig.path("out", "a"), "someone else\n")
    const stale = await as("bob", "approve", plan, "--yes")
    expect(stale.code).toBe(1)
    expect(stale.stderr).toContain(`file:${rig.path("out", "a")} changed after the plan was made`)
    expect(stale.stderr).toContain("[SPT-PLAN-004]")
    expect(content("a")).toBe("someone else\n")
  })

  it("refuses what has expired; what is asked for waits in a new plan", async () => {
    declare("brief", "b", "brief")
    const plan = await waiting("brief")
    await waitFor("it expires", async () => {
      const all = await plans("--all")
      const phase = at(
        all.find((one) => at(one, "name") === plan),
        "phase",
      )
      return phase === "Expired" || String(phase)
    })
    const late = await rig.run("approve", plan, "--yes")
    expect(late.code).toBe(1)
    expect(late.stderr).toContain(`cannot approve plan ${plan}: it has expired [SPT-PLAN-012]`)
    expect(existsSync(rig.path("out", "b"))).toBe(false)
    expect(await waiting("brief")).not.toBe(plan)
  })

  it("refuses who asked for the change, where the loop says so", async () => {
    writeFileSync(rig.path("default.yaml"), loop("default", "{separateAuthor: true}"))
    writeFileSync(rig.path("own.yaml"), fileManifest(rig, "own", "mine"))
    expect((await rig.run("apply", "-f", "default.yaml", "--force-conflicts")).code).toBe(0)
    await as("bob", "apply", "-f", "own.yaml")
    const plan = await waiting("default")
    const own = await as("bob", "approve", plan, "--yes")
    expect(own.code).toBe(1)
    expect(own.stderr).toContain(`bob asked for it (create of file:${rig.path("out", "own")})`)
    expect(own.stderr).toContain("[SPT-PLAN-014]")
    expect(existsSync(rig.path("out", "own"))).toBe(false)
    const other = await rig.run("approve", plan, "--yes")
    expect(other.stdout).toContain(`plan ${plan} is Done`)
    expect(content("own")).toBe("mine\n")
  })
})

describe("tokens", () => {
  it("are kept as hashes, in a file of the owner's alone, and refused once revoked", async () => {
    const file = rig.path(".setpoint", "tokens.json")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(rig.path("bob.token")).mode & 0o777).toBe(0o600)
    const token = readFileSync(rig.path("bob.token"), "utf8").trim()
    expect(readFileSync(file, "utf8")).not.toContain(token)
    expect((await rig.run("token", "list")).stdout).toMatch(/robo +agent/)
    const twice = await rig.run("token", "create", "bob", "--kind", "human")
    expect(twice.stderr).toContain("that name has a token already [SPT-TOKEN-002]")
    expect((await rig.run("token", "create", "x", "--kind", "boss")).stderr).toContain(
      "SPT-CLI-002",
    )
    expect((await rig.run("token", "revoke", "nobody")).stderr).toContain("SPT-TOKEN-003")
    expect((await as("bob", "plans")).code).toBe(0)
    expect((await rig.run("token", "revoke", "bob")).code).toBe(0)
    const gone = await as("bob", "plans")
    expect(gone.code).toBe(1)
    expect(gone.stderr).toContain("Unauthorized")
  })

  it("end by themselves", async () => {
    const made = await rig.run("token", "create", "guest", "--kind", "human", "--for", "1ms")
    writeFileSync(rig.path("guest.token"), made.stdout.split("\n")[1] ?? "")
    expect((await as("guest", "plans")).code).toBe(1)
    expect((await rig.run("token", "list")).stdout).toMatch(/guest .*\(expired\)/)
  })
})

describe("break-glass on the command line", () => {
  it("is refused to an agent, shouts in status, and is ended by hand", async () => {
    const agent = await as("robo", "break-glass", "two", "--reason", "now")
    expect(agent.stderr).toContain("robo is an agent, and only people may [SPT-GLASS-001]")
    expect((await rig.run("break-glass", "two")).stderr).toContain("it needs a reason")
    const broken = await rig.run("break-glass", "two", "--deletes", "3", "--reason", "fire")
    expect(broken.stdout).toMatch(/^BREAK-GLASS: .* broke the glass of default.two until/)
    const [first] = (await rig.run("status")).stdout.split("\n")
    expect(first).toMatch(/^BREAK-GLASS: .*\(3 of 3 destructions left\): fire$/)
    expect((await rig.run("break-glass", "--end", "two")).stdout).toContain("is ended; 0 destroyed")
    expect((await rig.run("status")).stdout).not.toContain("BREAK-GLASS")
  })
})

it("a token file that is missing, empty or something else is named as what it is", async () => {
  writeFileSync(rig.path("empty.token"), "")
  writeFileSync(rig.path("bytes.token"), Buffer.from([1, 200, 0, 10, 7]))
  const missing = await as("missing", "plans")
  expect(missing.stderr).toContain("cannot use --token missing.token: there is no such file")
  for (const who of ["empty", "bytes"]) {
    const { code, stderr } = await as(who, "plans")
    expect(code).toBe(1)
    expect(stderr).toContain(`cannot use --token ${who}.token: it holds no token [SPT-CLI-002]`)
  }
})
