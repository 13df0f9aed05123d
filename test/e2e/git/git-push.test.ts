// Gate: what people do with git itself, over HTTP to a real server: clone, commit, push, revert,
// push by force, take everything away; and commits that are signed with GPG, or should have been.

import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/base/json.ts"
import { requireTool } from "../../tools.ts"
import { manifestText } from "../plane/plane-rig.ts"
import { waitFor } from "../plane/wait-for.ts"
import { GitRig, password, username } from "./git-rig.ts"

const git = requireTool("git")
const gpg = requireTool("git", "gpg", "gpgconf")
let rig: GitRig
let checkout: string

beforeEach(() => {
  rig = new GitRig()
  checkout = join(rig.repository.home, "checkout")
  mkdirSync(checkout)
})
afterEach(() => rig.close())

/** In the checkout, and without blocking: the server lives in this process. */
function run(...args: readonly string[]): Promise<string> {
  const { home } = rig.repository
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: home, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" },
    GNUPGHOME: join(home, "gnupg"),
  }
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
  return new Promise((resolve, reject) => {
    const options = { cwd: checkout, env, timeout: 60_000 }
    execFile("git", [...who, ...args], options, (error, text, errors) =>
      error === null ? resolve(text.trim()) : reject(new Error(`${args.join(" ")}: ${errors}`)),
    )
  })
}

async function clone(loop: JsonObject = {}): Promise<void> {
  await rig.start(loop)
  await run("clone", "-q", rig.url.replace("//", `//${username}:${password}@`), ".")
  await run("checkout", "-q", "-B", "main")
}

function write(name: string, content: string): void {
  const text = manifestText(name, { path: rig.plane.target(name), content })
  writeFileSync(join(checkout, `${name}.yaml`), text)
}

/** Commits all that is in the checkout, pushes it, and has the plane look. */
async function push(message: string, ...sign: readonly string[]): Promise<string> {
  await run("add", "--all")
  await run(...sign.flatMap((one) => ["-c", one]), "commit", "-q", "-m", message)
  return send()
}

async function send(...how: readonly string[]): Promise<string> {
  await run("push", "-q", ...how, "origin", "main")
  await rig.fetch()
  return run("rev-parse", "HEAD")
}

const holds = (name: string, content: string) =>
  waitFor(`${name} holds ${content.trim()}`, () => {
    if (!readdirSync(rig.plane.targets).includes(name)) return "nothing"
    const text = readFileSync(rig.plane.target(name), "utf8")
    return text === content || text
  })

describe.skipIf(git.missing)("a repository that people push to", () => {
  it("is followed, reverts too; what is pushed by force or takes all away is held", async () => {
    await clone()
    for (const name of ["a", "b", "c"]) write(name, `${name} one\n`)
    await push("Begin")
    await rig.plane.converged(3)
    write("a", "a two\n")
    const second = await push("Change a")
    await holds("a", "a two\n")
    await run("revert", "--no-edit", "HEAD")
    const reverted = await send()
    await holds("a", "a one\n")
    await rig.sourceSays("good", new RegExp(reverted))

    write("a", "a forced\n")
    await run("reset", "-q", "--soft", second)
    await run("add", "--all")
    await run("commit", "-q", "--amend", "-m", "Written anew")
    await expect(send()).rejects.toThrow(/non-fast-forward|behind/)
    await send("--force")
    await rig.sourceSays("invalid", /does not descend/)
    await run("reset", "-q", "--hard", reverted)
    await send("--force")
    await rig.sourceSays("good", new RegExp(reverted))

    await run("rm", "-q", "-r", ".")
    await run("commit", "-q", "-m", "All gone")
    await send()
    await waitFor("a plan holds the deletes", async () => {
      const plan = await rig.plane.pendingPlan()
      return plan?.summary === "3 deletes" || (plan?.summary ?? "no plan")
    })
    for (const name of ["a", "b", "c"]) await holds(name, `${name} one\n`)
    await run("revert", "--no-edit", "HEAD")
    await send()
    await waitFor("nothing waits any more", async () => {
      return (await rig.plane.pendingPlan()) === undefined
    })
    await rig.plane.converged(3)
  })
})

describe.skipIf(gpg.missing)("a repository whose commits have to be signed with GPG", () => {
  it("is followed as far as those who may have signed it", async () => {
    const [ann, eve] = [rig.repository.gpgKey("ann"), rig.repository.gpgKey("eve")]
    const signed = (key: { readonly sign: readonly string[] }) => [
      "commit.gpgSign=true",
      ...key.sign,
    ]
    await clone({ verify: { signers: { name: "signers" } } })
    const maps = { group: "", version: "v1", resource: "configmaps" }
    await rig.plane.client.create(maps, {
      ...{ apiVersion: "v1", kind: "ConfigMap", data: { "ann.asc": ann.armored } },
      metadata: { name: "signers", namespace: "default" },
    })
    write("a", "by ann\n")
    await push("Signed", ...signed(ann))
    await holds("a", "by ann\n")
    write("a", "by nobody\n")
    await push("Not signed")
    await rig.sourceSays("invalid", /is not signed/)
    write("a", "by eve\n")
    await push("By somebody else", ...signed(eve))
    await rig.sourceSays("invalid", /none of the (allowed|given)/)
    expect(readFileSync(rig.plane.target("a"), "utf8")).toBe("by ann\n")
    write("a", "by ann again\n")
    const last = await push("Signed again", ...signed(ann))
    await rig.sourceSays("good", new RegExp(last))
    await holds("a", "by ann again\n")
    await rig.sourceSays("good", /ann <ann@example.com>/)
  })
})
