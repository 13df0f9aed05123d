import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { disarm } from "../../base/protections.ts"
import { systemClock } from "../../base/system.ts"
import type { GitSourceSpec } from "../../contract/git-source.ts"
import { nodeGit } from "./adapter/node-git.ts"
import { type Files, GitRepository } from "./adapter/testing/git-repository.ts"
import type { GitProgram } from "./git-program.ts"
import { outcome, SourceRig } from "./testing/source-rig.ts"

const config = (name: string, value = "1") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`

let repository: GitRepository
let rig: SourceRig

const rigFor = (more: Partial<ConstructorParameters<typeof SourceRig>[0]> = {}) => {
  const data = join(repository.home, `data-${Math.random()}`)
  return new SourceRig({ clock: systemClock, program: nodeGit(data), ...more })
}
const open = (more: Partial<GitSourceSpec> = {}) => rig.open({ url: repository.url, ...more })
const take = async (more: Partial<GitSourceSpec> = {}) => outcome(await rig.take(open(more)))

beforeEach(() => {
  repository = new GitRepository()
  rig = rigFor()
})

afterEach(() => repository.remove())

describe("a git source", () => {
  it("answers with the manifests of a commit, its id and what it says of itself", async () => {
    const message = "Add two\n\nand more text"
    const commit = repository.commit(
      { "a.yaml": config("a"), "sub/b.yaml": config("b") },
      { message },
    )
    const snapshot = await rig.take(open())
    expect(snapshot).toMatchObject({ kind: "complete", revision: commit })
    expect(snapshot).toMatchObject({
      origin: { ref: "branch main", name: "main", subject: "Add two", author: "Ann" },
    })
    if (snapshot.kind !== "complete") return
    expect(snapshot.manifests.map(({ position }) => position.file)).toEqual([
      "a.yaml",
      "sub/b.yaml",
    ])
    expect(snapshot.manifests[1]?.locate(["data", "value"])).toMatchObject({ line: 6 })
  })

  it("reads only the folder that it is told", async () => {
    repository.commit({
      "environments/prod/a.yaml": config("a"),
      "other/b.yaml": "not: a manifest",
    })
    expect(await take({ path: "environments/prod" })).toBe("complete 1")
    expect(await take({ path: "environments/staging" })).toBe("invalid SPT-GIT-030")
    expect(await take({ path: "environments/prod/a.yaml" })).toBe("invalid SPT-GIT-031")
  })

  it("keeps the same answer while nothing is new, and follows what is pushed", async () => {
    repository.commit({ "a.yaml": config("a") })
    const source = open()
    const first = await rig.take(source)
    expect(await rig.take(source)).toBe(first)
    repository.commit({ "a.yaml": config("a"), "b.yaml": config("b") })
    await expect.poll(async () => outcome(await rig.take(source))).toBe("complete 2")
  })

  it("says where a manifest is wrong, and names the commit that it refused", async () => {
    const commit = repository.commit({ "folder/a.yaml": "apiVersion: v1\nkind: [" })
    const snapshot = await rig.take(open())
    expect(snapshot).toMatchObject({ kind: "invalid", revision: commit })
    if (snapshot.kind !== "invalid") return
    expect(snapshot.issues[0]?.position).toMatchObject({ file: "folder/a.yaml", line: 2 })
  })

  it("follows a tag, the highest version of a range, and an exact commit", async () => {
    const one = repository.commit({ "a.yaml": config("a") })
    const two = repository.commit({ "a.yaml": config("a"), "b.yaml": config("b") })
    repository.tag("v1.0.0", one)
    repository.tag("v1.10.0", two)
    repository.tag("v2.0.0-rc.1", two)
    const revision = async (ref: GitSourceSpec["ref"]) => {
      const snapshot = await open({ ref }).read(new AbortController().signal)
      return snapshot.kind === "complete" ? snapshot.revision : outcome(snapshot)
    }
    expect(await revision({ tag: "v1.0.0" })).toBe(one)
    expect(await revision({ semver: "1.x" })).toBe(two)
    expect(await revision({ semver: "<1.5" })).toBe(one)
    expect(await revision({ commit: one })).toBe(one)
    expect(await revision({ semver: "3.x" })).toBe("unreadable SPT-GIT-014")
    expect(await revision({ branch: "gone" })).toBe("unreadable SPT-GIT-013")
    expect(await revision({ commit: "0".repeat(40) })).toBe("unreadable SPT-GIT-013")
  })

  it("reads a revision by its id, also one that is not the newest", async () => {
    const one = repository.commit({ "a.yaml": config("a") })
    repository.commit({ "b.yaml": config("b"), "c.yaml": config("c") })
    const source = open()
    await source.read(new AbortController().signal)
    const past = await source.readAt?.(one, new AbortController().signal)
    expect(past).toMatchObject({ kind: "complete", revision: one })
    expect(past?.kind === "complete" && past.manifests).toHaveLength(1)
  })

  it("renders overlays whose base lies elsewhere in the tree", async () => {
    repository.commit({
      "base/a.yaml": config("a"),
      "env/prod/overlay.yaml":
        "apiVersion: setpoint.dev/v1alpha1\nkind: Overlay\nbase: ../../base\n",
      "env/prod/b.yaml": config("b"),
    })
    expect(await take({ path: "env/prod" })).toBe("complete 2")
  })
})

describe("a repository that can't be used", () => {
  it("is unreadable when it is gone, and readable again when it is back", async () => {
    repository.commit({ "a.yaml": config("a") })
    const source = open()
    expect(outcome(await rig.take(source))).toBe("complete 1")
    repository.git(["config", "core.repositoryformatversion", "99"])
    expect(outcome(await rig.take(source))).toMatch(/^unreadable SPT-GIT-01/)
    repository.git(["--version"])
  })

  it("would pass for an empty one without its protection", async () => {
    const rearm = disarm("git-error-is-not-empty")
    try {
      rmSync(repository.path, { recursive: true })
      expect(await take()).toBe("complete 0")
    } finally {
      rearm()
    }
    expect(await take()).toMatch(/^unreadable SPT-GIT-01/)
  })

  it("is complete without manifests when its tree is empty, for the guards to judge", async () => {
    repository.commit({ "README.md": "nothing here" })
    expect(await take()).toBe("complete 0")
  })

  it("is not fetched beyond its limit", async () => {
    repository.commit({ "big.bin": Array.from({ length: 9000 }, () => Math.random()).join("") })
    rig = rigFor({ bounds: { copyBytes: 20_000 } })
    expect(await take()).toBe("invalid SPT-GIT-016")
  })

  it("gives up on a program that takes too long, and leaves no process and no lock", async () => {
    repository.commit({ "a.yaml": config("a") })
    rig = rigFor({ bounds: { askMs: 1 } })
    expect(await take()).toBe("unreadable SPT-GIT-015")
  })

  it.each(["objects", "objects/pack"])(
    "is fetched again when the copy of it lost its %s",
    async (lost) => {
      repository.commit({ "a.yaml": config("a") })
      const data = join(repository.home, "data")
      rig = rigFor({ program: nodeGit(data) })
      expect(await take()).toBe("complete 1")
      const [copy = ""] = readdirSync(data).filter((name) => name !== "calls")
      for (const name of readdirSync(join(data, copy, lost))) {
        if (name !== "info") rmSync(join(data, copy, lost, name), { recursive: true })
      }
      const source = open()
      const answer = async () => outcome(await rig.take(source))
      await expect.poll(answer, { timeout: 10_000 }).toBe("complete 1")
    },
  )
})

describe("history that was written anew", () => {
  const files: Files = { "a.yaml": config("a") }

  it("holds, names both commits, and passes when a person accepts exactly it", async () => {
    const first = repository.commit(files)
    expect(await take()).toBe("complete 1")
    const other = repository.commit({ "b.yaml": config("b") }, { parent: "none" })
    const snapshot = await rig.take(open())
    expect(outcome(snapshot)).toBe("invalid SPT-GIT-020")
    expect(snapshot).toMatchObject({ revision: other })
    expect(snapshot.kind === "invalid" && snapshot.issues[0]?.message).toContain(first.slice(0, 12))
    rig.accepted = first
    expect(await take()).toBe("invalid SPT-GIT-020")
    rig.accepted = other
    expect(await take()).toBe("complete 1")
  })

  it("holds when a branch goes back to an older commit", async () => {
    const first = repository.commit(files)
    repository.commit({ ...files, "b.yaml": config("b") })
    await take()
    repository.git(["update-ref", "refs/heads/main", first])
    expect(await take()).toBe("invalid SPT-GIT-020")
  })

  it("holds also where the old commit is gone from everywhere", async () => {
    repository.commit(files)
    await take()
    repository.commit({ "b.yaml": config("b") }, { parent: "none" })
    repository.git(["gc", "--prune=now", "--quiet"])
    rig = Object.assign(rigFor(), { taken: rig.taken })
    expect(await take()).toBe("invalid SPT-GIT-020")
  })

  it("holds when the highest version of a range is taken back or points elsewhere", async () => {
    const one = repository.commit(files)
    const two = repository.commit({ ...files, "b.yaml": config("b") })
    repository.tag("v1.0.0", one)
    repository.tag("v1.1.0", two)
    const ref = { semver: "1.x" }
    expect(await take({ ref })).toBe("complete 2")
    repository.tag("v1.1.0", one)
    expect(await take({ ref })).toBe("invalid SPT-GIT-020")
    repository.git(["tag", "-d", "v1.1.0"])
    expect(await take({ ref })).toBe("invalid SPT-GIT-021")
  })

  it("takes a higher version that was made on another branch", async () => {
    repository.tag("v1.0.1", repository.commit(files, { branch: "release" }))
    const ref = { semver: "1.x" }
    await take({ ref })
    repository.tag("v1.1.0", repository.commit({}, { branch: "main", parent: "none" }))
    expect(await take({ ref })).toBe("complete 0")
  })

  it("passes when the Loop allows it, or when a person changed what it follows", async () => {
    repository.commit(files)
    await take()
    repository.commit({}, { parent: "none" })
    expect(await take({ allowRewrite: true })).toBe("complete 0")
    repository.commit(files, { branch: "other", parent: "none" })
    expect(await take({ ref: { branch: "other" } })).toBe("complete 1")
  })

  it("would be taken without its protection", async () => {
    repository.commit(files)
    await take()
    repository.commit({}, { parent: "none" })
    const rearm = disarm("git-history-moves-forward")
    try {
      expect(await take()).toBe("complete 0")
    } finally {
      rearm()
    }
  })
})

describe("a repository for another environment", () => {
  const spec = { environment: "prod", path: "env" }

  it.each<[string, string, Files]>([
    ["complete 0", "its folder says so", { "env/.setpoint/environment": "prod\n" }],
    ["complete 0", "its root says so", { "env/x": "", ".setpoint/environment": "prod" }],
    [
      "invalid SPT-GIT-032",
      "its folder says another although the root says this one",
      { "env/.setpoint/environment": "staging", ".setpoint/environment": "prod" },
    ],
    ["invalid SPT-GIT-032", "it says more", { "env/.setpoint/environment": "prod staging" }],
    ["invalid SPT-GIT-033", "nothing says so", { "env/x": "" }],
    [
      "invalid SPT-GIT-032",
      "a symlink says so",
      { "env/.setpoint/environment": { mode: "120000", content: "prod" } },
    ],
  ])("is %s when %s", async (answer, _when, files) => {
    repository.commit(files)
    expect(await take(spec)).toBe(answer)
  })

  it("would be taken without its protection", async () => {
    repository.commit({ "env/.setpoint/environment": "staging" })
    const rearm = disarm("git-environment-is-asked")
    try {
      expect(await take(spec)).toBe("complete 0")
    } finally {
      rearm()
    }
  })
})

describe("one repository for many loops", () => {
  it("is fetched once for all that ask at the same time, each for its own ref", async () => {
    const one = repository.commit({ "a.yaml": config("a") })
    const two = repository.commit({ "b.yaml": config("b") }, { branch: "next", parent: one })
    const calls: string[] = []
    const program = nodeGit(join(repository.home, "data"))
    const counted: GitProgram = {
      ...program,
      run: (request, signal) => {
        calls.push(request.args.find((word) => /^(ls-remote|fetch)$/.test(word)) ?? "")
        return program.run(request, signal)
      },
    }
    rig = rigFor({ program: counted })
    const sources = ["main", "next", "main"].map((branch) =>
      open({ ref: { branch }, intervalMs: 60_000 }),
    )
    const signal = new AbortController().signal
    const answers = await Promise.all(sources.map((source) => source.read(signal)))
    expect(answers.map((one) => one.kind === "complete" && one.revision)).toEqual([one, two, one])
    expect(calls.filter((call) => call === "fetch")).toHaveLength(1)
    expect(calls.filter((call) => call === "ls-remote")).toHaveLength(1)
  })

  it("is asked once for all that wait for a server that fails, and again when poked", async () => {
    const calls: string[] = []
    const program = nodeGit(join(repository.home, "data"))
    const counted: GitProgram = {
      ...program,
      run: (request, signal) => {
        if (request.args.includes("ls-remote")) calls.push("ls-remote")
        return program.run(request, signal)
      },
    }
    rig = rigFor({ program: counted })
    rmSync(repository.path, { recursive: true })
    const signal = new AbortController().signal
    const sources = Array.from({ length: 20 }, () => open({ intervalMs: 60_000 }))
    const answers = await Promise.all(sources.map((source) => source.read(signal)))
    for (const answer of answers) expect(outcome(answer)).toMatch(/^unreadable SPT-GIT-01/)
    expect(calls).toHaveLength(1)
    sources[0]?.poke?.()
    await sources[0]?.read(signal)
    expect(calls).toHaveLength(2)
  })

  it("is not served from what was fetched before, once fetching fails", async () => {
    repository.commit({ "a.yaml": config("a") })
    const source = open({ intervalMs: 3_600_000 })
    expect(outcome(await rig.take(source))).toBe("complete 1")
    rmSync(repository.path, { recursive: true })
    source.poke?.()
    expect(outcome(await rig.take(source))).toMatch(/^unreadable SPT-GIT-01/)
    expect(outcome(await rig.take(source))).toMatch(/^unreadable SPT-GIT-01/)
    expect(await take({ intervalMs: 3_600_000 })).toMatch(/^unreadable SPT-GIT-01/)
  })
})
