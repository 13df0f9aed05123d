import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { systemClock } from "../../base/system.ts"
import {
  type GitSourceSpec,
  gitAddress,
  gitPathProblem,
  gitRefNameProblem,
} from "../../contract/git-source.ts"
import { nodeGit } from "./adapter/node-git.ts"
import { GitRepository } from "./adapter/testing/git-repository.ts"
import type { GitProgram, GitRequest } from "./git-program.ts"
import { lockedArguments, lockedEnvironment, remoteCall } from "./locked-git.ts"
import { parseRefs } from "./remote-refs.ts"
import { outcome, SourceRig } from "./testing/source-rig.ts"
import { scrub } from "./what-went-wrong.ts"

let repository: GitRepository
beforeAll(() => {
  repository = new GitRepository()
  repository.commit({ "README.md": "x" })
})
afterAll(() => repository.remove())

/** What git was asked, and what came of it. */
function rigWith(allow: readonly ("file" | "http")[] = []) {
  const requests: GitRequest[] = []
  const real = nodeGit(join(repository.home, `data-${Math.random()}`))
  const program: GitProgram = {
    ...real,
    run: (request, signal) => {
      requests.push(request)
      return real.run(request, signal)
    },
  }
  const rig = new SourceRig({ clock: systemClock, program, allow })
  const take = async (spec: Partial<GitSourceSpec> & { readonly url: string }) =>
    outcome(await rig.open(spec).read(new AbortController().signal))
  return { rig, requests, take }
}

describe("an address", () => {
  const mark = () => join(repository.home, "hacked")
  const hostile = () => [
    `--upload-pack=touch ${mark()}`,
    `-oProxyCommand=touch ${mark()}`,
    `ext::sh -c touch% ${mark()}`,
    `ext::touch ${mark()}`,
    `fd::17/foo`,
    `ssh://-oProxyCommand=touch${mark()}/x`,
    `ssh://git@-oProxyCommand=x/y`,
    `git@-oProxyCommand=x:y`,
    `https://host/a\nb`,
    `https://host/$(touch ${mark()})`,
    `https://host/\`id\``,
    `file://${mark()}/../../etc`,
    `/etc`,
    `../x`,
    `C:\\x`,
    `https://user:secret@host/x`,
    `https://@host/x`,
    `http://127.0.0.1.evil.example/x.git?x`,
    `https://`,
    `javascript:alert(1)`,
    ``,
  ]

  it("that is an option, a helper, a path or holds credentials never reaches git", async () => {
    const { requests, take } = rigWith(["file", "http"])
    for (const url of hostile())
      expect([url, await take({ url })]).toEqual([url, "invalid SPT-GIT-001"])
    expect(requests).toEqual([])
    expect(existsSync(mark())).toBe(false)
  })

  it("of a protocol that the plane does not allow never reaches git", async () => {
    const { requests, take } = rigWith()
    for (const url of [repository.url, "http://192.0.2.1/x.git", "git://127.0.0.1/x.git"]) {
      expect(await take({ url })).toBe("invalid SPT-GIT-002")
    }
    expect(requests).toEqual([])
    const rearm = disarm("git-one-protocol")
    try {
      expect(await take({ url: repository.url })).toBe("complete 0")
    } finally {
      rearm()
    }
  })

  it("is always the one word after --, with one protocol allowed", async () => {
    const { requests, take } = rigWith(["file"])
    expect(await take({ url: repository.url })).toBe("complete 0")
    const spoken = requests.filter(({ args }) => args.includes(repository.url))
    expect(spoken.length).toBeGreaterThanOrEqual(2)
    for (const { args, env } of spoken) {
      expect(args[args.indexOf(repository.url) - 1]).toBe("--")
      expect(args.filter((word) => /^protocol\.\w+\.allow=always$/.test(word))).toEqual([
        "protocol.file.allow=always",
      ])
      expect(env.GIT_ALLOW_PROTOCOL).toBe("file")
    }
    for (const { args } of requests.filter((one) => !one.args.includes(repository.url))) {
      expect(args.some((word) => word.endsWith("allow=always"))).toBe(false)
    }
  })

  it("never begins with a dash or holds a blank, whatever is accepted", () => {
    const part = fc.constantFrom(
      "https://",
      "ssh://",
      "git@",
      "host",
      "-o",
      ":",
      "/",
      "@",
      "..",
      " ",
      "\n",
      "x.git",
      "ext::",
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 8 }).map((all) => all.join("")),
    )
    fc.assert(
      fc.property(text, (url) => {
        const address = gitAddress(url)
        if ("problem" in address) return
        expect(url).toMatch(/^(https|ssh|http|file|git):\/\/|^[A-Za-z0-9][\w.-]*@[A-Za-z0-9]/)
        expect(url).not.toMatch(/\s|^\w+::|^\w+:\/\/-|^[^/]*@-/)
        if (address.scheme !== "ssh") expect(url).not.toMatch(/^\w+:\/\/[^/]*@/)
      }),
      { numRuns: 500 },
    )
  })
})

describe("a ref or a folder", () => {
  it.each([
    "--upload-pack=id",
    "-x",
    "a/-x",
    "a..b",
    "a b",
    "a~1",
    "a^{tree}",
    "a:b",
    "@{-1}",
    "x.lock",
    "refs/../x",
    "a//b",
    "/a",
    "a/",
    "a.",
    "@",
    "a\nb",
    "\u202ea",
  ])("named %j never reaches git", async (name) => {
    expect(gitRefNameProblem(name)).toBeDefined()
    const { requests, take } = rigWith(["file"])
    expect(await take({ url: repository.url, ref: { branch: name } })).toBe("invalid SPT-GIT-005")
    expect(requests).toEqual([])
  })

  it.each(["../x", "a/../../b", "/etc", "a//b", "a\\b", "a\nb", "./a"])(
    "at %j is refused",
    (path) => {
      expect(gitPathProblem(path)).toBeDefined()
    },
  )

  it("of a server is taken only by the name that was asked for", () => {
    const id = "b".repeat(40)
    const lines = [
      "refs/heads/main",
      "x/refs/heads/main",
      "refs/tags/v1",
      "refs/tags/-x",
      "refs/tags/v1^{}",
    ]
    const text = lines.map((name) => `${id}\t${name}`).join("\n")
    expect([...parseRefs(text, ["refs/heads/main"]).keys()]).toEqual(["refs/heads/main"])
    expect([...parseRefs(text, ["refs/tags/*"]).keys()]).toEqual(["refs/tags/v1"])
    expect([...parseRefs(`nonsense\trefs/heads/main`, ["refs/heads/main"])]).toEqual([])
  })
})

describe("a call of git", () => {
  it("runs nothing that repository, host or environment would have it run", async () => {
    const mark = join(repository.home, "ran")
    const hook = join(repository.path, "hooks")
    mkdirSync(hook, { recursive: true })
    for (const name of ["post-upload-pack", "reference-transaction", "post-checkout"]) {
      writeFileSync(join(hook, name), `#!/bin/sh\ntouch ${mark}\n`)
      chmodSync(join(hook, name), 0o755)
    }
    const data = join(repository.home, "locked")
    const program = nodeGit(data)
    const before = { ...process.env }
    Object.assign(process.env, {
      GIT_SSH_COMMAND: `touch ${mark}`,
      GIT_EXTERNAL_DIFF: `touch ${mark}`,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: `touch ${mark}`,
      GIT_DIR: "/nowhere",
      SSH_ASKPASS: `touch ${mark}`,
    })
    try {
      const rig = new SourceRig({ clock: systemClock, program })
      const source = rig.open({ url: repository.url })
      expect(outcome(await source.read(new AbortController().signal))).toBe("complete 0")
      const shown = await program.run(
        {
          args: [...lockedArguments(), "config", "--list", "--show-origin"],
          ...{ env: lockedEnvironment(), timeoutMs: 20_000, outputBytesMax: 100_000 },
        },
        new AbortController().signal,
      )
      const origins = new Set(
        Buffer.from(shown.stdout)
          .toString()
          .split("\n")
          .map((line) => line.split(":")[0]),
      )
      expect([...origins].filter((one) => one !== "")).toEqual(["command line"])
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
    }
    expect(existsSync(mark)).toBe(false)
  })

  it("trusts a host over ssh by the given keys alone", () => {
    const call = remoteCall("ssh", { identity: "KEY", knownHosts: "host ssh-ed25519 AAAA" })
    const command = call.env.GIT_SSH_COMMAND ?? ""
    for (const word of ["StrictHostKeyChecking=yes", "BatchMode=yes", "-F /dev/null"]) {
      expect(command).toContain(word)
    }
    expect(command).toContain("GlobalKnownHostsFile=/dev/null")
    expect(command).not.toContain("KEY")
    expect(call.files).toEqual({ identity: "KEY\n", known_hosts: "host ssh-ed25519 AAAA\n" })
    expect(call.answers).toBeUndefined()
  })

  it("has no credentials in arguments or variables", () => {
    const call = remoteCall("https", { username: "ann", password: "hunter22" })
    const args = lockedArguments("https", call.settings)
    expect(JSON.stringify([args, call.env, call.files ?? {}])).not.toContain("hunter22")
    expect(call.answers).toEqual(["ann", "hunter22"])
  })
})

describe("what is said of a failure", () => {
  it("holds nothing of the credentials, in any form", () => {
    const credentials = { username: "ann", password: "p@ss/word&1" }
    const pair = Buffer.from("ann:p@ss/word&1").toString("base64")
    const text = `for 'https://ann:p%40ss%2Fword%261@host/x' ${pair} p@ss/word&1 p%40ss%2Fword%261`
    const clean = scrub(text, credentials)
    for (const secret of ["p@ss/word&1", "p%40ss%2Fword%261", pair])
      expect(clean).not.toContain(secret)
    expect(clean).toContain("https://host/x")
  })
})
