// Gate: a force-push holds, over a kill too, until a person accepts exactly that commit; unsigned
// commits, submodules, symlinks, tricks with paths and other environments are refused, and the last
// good revision stays in force.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { requireTool } from "../../tools.ts"
import { manifestText } from "../plane/plane-rig.ts"
import { waitFor } from "../plane/wait-for.ts"
import { GitRig } from "./git-rig.ts"

const git = requireTool("git", "ssh-keygen")
let rig: GitRig

beforeEach(() => {
  rig = new GitRig()
})
afterEach(() => rig.close())

const two = { a: "one\n", b: "two\n" }
const read = (name: string) => readFileSync(rig.plane.target(name), "utf8")
const manifest = (name: string, content: string) =>
  manifestText(name, { path: rig.plane.target(name), content })

describe.skipIf(git.missing)("a repository whose history was written anew", () => {
  it("holds over a kill until a person accepts exactly that commit", async () => {
    rig.push(two)
    await rig.start()
    await rig.plane.converged(2)
    const other = rig.push({ a: "forced\n", b: "two\n" }, { parent: "none" })
    await rig.fetch()
    await rig.sourceSays("invalid", /does not descend/)
    await rig.plane.end("SIGKILL")
    await rig.plane.start()
    await rig.sourceSays("invalid", /does not descend/)
    expect(read("a")).toBe("one\n")

    const status = rig.cli("status")
    expect(status.text).toContain("does not descend from")
    expect(status.text).toContain(`setpoint source accept default.site ${other}`)
    const accept = (commit: string, ...more: string[]) =>
      rig.cli("source", "accept", "site", commit, "--reason", "cleaned up", ...more)
    const wrong = accept("0123456789ab")
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining("SPT-GIT-040")])
    const call = (revision: string) =>
      rig.plane.call("POST", "source/accept", { loop: "default.site", revision, reason: "x" })
    await expect(call(other.slice(0, 12))).rejects.toThrow("is what waits")
    const file = join(rig.plane.base, "bot.token")
    const made = rig.cli("token", "create", "bot", "--kind", "agent", "--file", file)
    expect([made.code, made.text]).toEqual([0, expect.anything()])
    const asAgent = rig.cli("--token", file, "source", "accept", "site", other, "--reason", "x")
    expect(asAgent.text).toContain("SPT-GIT-041")
    expect(read("a")).toBe("one\n")

    const right = accept(other.slice(0, 12))
    expect(right.text).toContain(`accepted ${other.slice(0, 12)}`)
    await waitFor("what was forced is there", () => read("a") === "forced\n")
    const told = (await rig.plane.history()).map((entry) => JSON.stringify(entry))
    expect(told.some((text) => /"accepted"/.test(text) && /cleaned up/.test(text))).toBe(true)

    // Once: what was accepted is no way back later.
    rig.push({ a: "onward\n", b: "two\n" })
    await rig.fetch()
    await waitFor("what follows is there", () => read("a") === "onward\n")
    rig.repository.git(["update-ref", "refs/heads/main", other])
    await rig.fetch()
    await rig.sourceSays("invalid", /does not descend/)
    expect(read("a")).toBe("onward\n")
  })
})

describe.skipIf(git.missing)("a commit that is not believed", () => {
  it("changes nothing: tricks with trees, and folders that are gone", async () => {
    const good = { "env/a.yaml": manifest("a", "one\n") }
    rig.repository.commit({ ...good, "env/.setpoint/environment": "prod\n" })
    await rig.start({ path: "env", environment: "prod" })
    await rig.plane.converged(1)
    const head = rig.repository.head() ?? ""
    const { repository } = rig
    const marked = { ...good, "env/.setpoint/environment": "prod\n" }
    const link = { mode: "120000", content: "/etc/passwd" } as const
    const module = { mode: "160000", content: head } as const
    const tricks: readonly (readonly [() => void, RegExp])[] = [
      [() => repository.commit({ ...marked, "env/b.yaml": link }), /symlink/],
      [() => repository.commit({ ...marked, "env/vendor": module }), /submodule/],
      [() => repository.commit({ ...marked, "env/A.yaml": "" }), /differ in case/],
      [() => repository.commit({ ...marked, "env/x\\ny.yaml": "" }), /control characters/],
      [() => repository.commit({ ...good, "env/.setpoint/environment": "staging" }), /staging/],
      [() => repository.commit(good), /no .setpoint.environment/],
      [() => repository.commit({ "other/x": "", ".setpoint/environment": "prod" }), /has none/],
      [() => void climbing(), /cannot take what .*hasDotdot/],
    ]
    for (const [push, said] of tricks) {
      push()
      await rig.fetch()
      await rig.sourceSays("invalid", said)
      expect(readdirSync(rig.plane.targets)).toEqual(["a"])
    }
    expect(read("a")).toBe("one\n")
    // What nobody can fetch has to go from the history first.
    repository.git(["update-ref", "refs/heads/main", repository.git(["rev-parse", "main^"])])
    const fixed = repository.commit({ ...marked, "env/a.yaml": manifest("a", "two\n") })
    await rig.fetch()
    await rig.sourceSays("good", new RegExp(fixed))
    await waitFor("what is good is taken", () => read("a") === "two\n")
  })

  it("is not read when nobody signed it who may", async () => {
    const [ann, eve] = [rig.repository.sshKey("ann@example.com"), rig.repository.sshKey("eve@x.y")]
    rig.push(two, { sign: ann.sign })
    await rig.start({ verify: { signers: { name: "signers" } } })
    await rig.sourceSays("unreadable", /whose signatures count/)
    const maps = { group: "", version: "v1", resource: "configmaps" }
    await rig.plane.client.create(maps, {
      ...{ apiVersion: "v1", kind: "ConfigMap", data: { allowed_signers: ann.allowed } },
      metadata: { name: "signers", namespace: "default" },
    })
    await rig.fetch()
    await rig.plane.converged(2)
    rig.push({ ...two, a: "unsigned\n" })
    await rig.fetch()
    await rig.sourceSays("invalid", /is not signed/)
    rig.push({ ...two, a: "by eve\n" }, { sign: eve.sign })
    await rig.fetch()
    await rig.sourceSays("invalid", /none of the allowed signers/)
    expect(read("a")).toBe("one\n")
    rig.push({ ...two, a: "signed\n" }, { sign: ann.sign })
    await rig.fetch()
    await waitFor("what is signed is taken", () => read("a") === "signed\n")
    expect(rig.cli("status").text).toContain("signed by ann@example.com")
  })
})

/** A tree with the name "..": git's own check refuses it on the way. */
function climbing(): string {
  const inner = rig.repository.tree({ "a.yaml": "" })
  const line = Buffer.concat([Buffer.from("40000 ..\0"), Buffer.from(inner, "hex")])
  return rig.repository.commitTree(rig.repository.rawTree(line))
}
