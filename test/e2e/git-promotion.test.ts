// Gate: two environments of one repository on a real git server, each with its overlay. What
// staging proved comes to prod, and nothing else does; a pull request shows what it would change
// before it is taken.

import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { GitRepository } from "../../src/sources/git/adapter/testing/git-repository.ts"
import { compiled, program } from "../program.ts"
import { requireTool } from "../tools.ts"
import { password, username } from "./git/git-rig.ts"
import { GitServer } from "./git/git-server.ts"
import { fileResource, manifestText, PlaneRig } from "./plane/plane-rig.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

const git = requireTool("git")

interface Told {
  readonly code: number
  readonly text: string
  readonly errors: string
}

class Environments extends PlaneRig {
  override readonly loop: string = "default.staging"
  readonly repository = new GitRepository("site.git")
  readonly server = new GitServer({ root: dirname(this.repository.path), username, password })

  get url(): string {
    return this.server.url("site.git")
  }

  declareLoop(name: string, source: object): void {
    const spec = {
      mode: "Enforce",
      interval: "1h",
      source: { git: { url: this.url, path: name, secretRef: { name: "reader" } }, ...source },
    }
    const metadata = { name: name.split("/").at(-1) }
    const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec }
    writeFileSync(join(this.site, `${metadata.name}.yaml`), JSON.stringify(loop))
  }

  /** With what the server asks for; every loop named here looks at once. */
  async run(...loops: readonly string[]): Promise<void> {
    await this.start()
    const secrets = { group: "", version: "v1", resource: "secrets" }
    const metadata = { name: "reader", namespace: "default" }
    const object = { apiVersion: "v1", kind: "Secret", metadata }
    const values = { stringData: { username, password } }
    await this.client.apply(secrets, { ...object, ...values }, { fieldManager: "test" })
    for (const loop of loops) {
      await waitFor(`${loop} is opened`, async () => {
        return this.fetch(loop).then(() => true, String)
      })
    }
  }

  /** The store's revision, once what both converged to is kept and looks write nothing. */
  async quietRevision(): Promise<number> {
    const kept = async () => {
      const { loops } = await this.status()
      const own = loops.filter(({ id }) => /staging|prod/.test(id))
      return own.every(({ lastGood }) => lastGood !== null) || JSON.stringify(own)
    }
    await waitFor("both checkpoints are kept", kept)
    let quiet = -1
    await waitFor("three looks write nothing", async () => {
      quiet = (await this.status()).revision
      for (let look = 0; look < 3; look++) await this.call("POST", "look")
      await pause(500)
      const { revision } = await this.status()
      return revision === quiet || `${quiet}, then ${revision}`
    })
    return quiet
  }

  /** The same text in both environments, each with a path and a mode of its own. */
  push(text: string, branch = "main", folder = "."): string {
    const spec = {
      path: `${this.targets}/${folder}/\${env}/motd`.replace("/./", "/"),
      content: `${text} in \${env}\n`,
    }
    const environment = (env: string, patches: object[] = []) =>
      JSON.stringify({
        ...{ apiVersion: "setpoint.dev/v1alpha1", kind: "Overlay", base: "../../base" },
        ...{ variables: { env }, patches },
      })
    const target = { kind: "File", name: "prod-motd" }
    const private600 = [{ target, merge: { spec: { mode: "0600" } } }]
    const files = {
      "base/motd.yaml": manifestText(`\${env}-motd`, spec),
      "environments/staging/overlay.yaml": environment("staging"),
      "environments/prod/overlay.yaml": environment("prod", private600),
    }
    const parent = this.repository.head(branch) ?? this.repository.head() ?? "none"
    return this.repository.commit(files, { branch, parent, message: text })
  }

  fetch(loop: string): Promise<unknown> {
    return this.call("POST", "source/fetch", { loop: `default.${loop}` })
  }

  read(environment: string): string {
    return readFileSync(join(this.targets, environment, "motd"), "utf8")
  }

  async promotion(): Promise<string> {
    const status = (await this.call("GET", "status")) as object as {
      loops: { id: string; promotion?: { message: string } }[]
    }
    return status.loops.find(({ id }) => id === "default.prod")?.promotion?.message ?? ""
  }

  /** Looks at everything until prod holds this text; each look is a round. */
  async promoted(text: string): Promise<void> {
    await waitFor(`prod holds ${text}`, async () => {
      await this.call("POST", "look")
      try {
        return this.read("prod") === text || `${this.read("prod")} ${await this.promotion()}`
      } catch (error) {
        return `${String(error)} ${await this.promotion()}`
      }
    })
  }

  /** Without blocking: the git server lives in this process. */
  command(program: string, args: readonly string[], cwd: string): Promise<Told> {
    const own = { XDG_CONFIG_HOME: join(this.base, "config"), NODE_COMPILE_CACHE: compiled }
    const options = { timeout: 120_000, cwd, env: { ...process.env, ...own } }
    return new Promise((resolve) => {
      execFile(program, args, options, (error, text, errors) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
        resolve({ code, text, errors })
      })
    })
  }

  cli(words: readonly string[], cwd = this.base): Promise<Told> {
    return this.command(process.execPath, [program, "--data", this.data, ...words], cwd)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.server.close()
    this.repository.remove()
  }
}

let rig: Environments

beforeEach(async () => {
  rig = new Environments()
  await rig.server.start()
})
afterEach(() => rig.close())

describe.skipIf(git.missing)("two environments of one repository", () => {
  beforeEach(() => {
    for (const one of ["staging", "prod"]) mkdirSync(join(rig.targets, one))
    rig.declareLoop("environments/staging", {})
    const promotion = { from: "staging", cleanRounds: 2 }
    rig.declareLoop("environments/prod", { promotion })
  })

  it("promote what is proven, keep it over kill -9, and say everywhere which commit", async () => {
    const first = rig.push("one")
    await rig.run("staging", "prod")
    await rig.converged(1)
    expect(rig.read("staging")).toBe("one in staging\n")
    expect(await rig.promotion()).toContain("waiting for default.staging")
    await rig.promoted("one in prod\n")
    const second = rig.push("two")
    await rig.fetch("staging")
    await waitFor("staging has it", () => rig.read("staging") === "two in staging\n")
    await rig.end("SIGKILL")
    await rig.run()
    expect(await rig.promotion()).toContain(`at ${first.slice(0, 12)}, which is proven; waiting`)
    expect(rig.read("prod")).toBe("one in prod\n")
    await rig.promoted("two in prod\n")
    const object = await rig.client.get({
      ...{ ...fileResource, namespace: "default", name: "prod-motd" },
    })
    expect(object?.metadata.annotations).toMatchObject({
      "setpoint.dev/source": "base/motd.yaml:1",
      "setpoint.dev/source-revision": second,
    })
    expect(object?.spec?.mode).toBe("0600")
    const entries = (await rig.history()).filter(({ loop }) => loop === "default.prod")
    expect(entries.at(-1)?.revision).toBe(second)
    const short = second.slice(0, 12)
    const said = async (...words: readonly string[]) => (await rig.cli(words)).text
    expect(await said("explain", "File", "prod-motd")).toContain(`since revision ${short}`)
    expect(await said("history", "File", "prod-motd")).toContain(`revision ${short}`)
    expect(await said("status")).toContain(`at ${short}, which is proven`)
  })

  it("keep prod as it is while staging can't hold what is new, and take the revert", async () => {
    rig.push("one")
    await rig.run("staging", "prod")
    await rig.promoted("one in prod\n")
    const bad = rig.push("two", "main", "no/such/folder")
    await rig.fetch("staging")
    for (let round = 0; round < 4; round++) await rig.call("POST", "look")
    expect(await rig.promotion()).toContain(`0 of 2 clean rounds at ${bad.slice(0, 12)}`)
    expect(rig.read("prod")).toBe("one in prod\n")
    rig.push("one")
    await rig.fetch("staging")
    const reverted = rig.repository.head()?.slice(0, 12) ?? ""
    await waitFor("prod takes the revert", async () => {
      await rig.call("POST", "look")
      const said = await rig.promotion()
      return said === `at ${reverted}, which is proven` || said
    })
    expect(rig.read("prod")).toBe("one in prod\n")
  })

  it("show a pull request what it would change, and touch nothing", async () => {
    rig.push("one")
    await rig.run("staging", "prod")
    await rig.promoted("one in prod\n")
    const proposed = rig.push("three", "proposal")
    const before = await rig.quietRevision()
    const url = ["--url", rig.url]
    const json = await rig.cli(["plan", "--git", "proposal", ...url, "-o", "json"])
    expect(json).toMatchObject({ code: 2, errors: "" })
    const { loops, exit } = JSON.parse(json.text)
    expect(exit).toBe(2)
    expect(loops.map(({ id, revision }: Record<string, string>) => `${id} ${revision}`)).toEqual([
      `default.prod ${proposed}`,
      `default.staging ${proposed}`,
    ])
    expect(loops[0].actions[0]).toMatchObject({
      ...{ verb: "update", kind: "File", name: "prod-motd", verdict: "run" },
      changes: [{ path: "content", before: "one in prod\n", after: "three in prod\n" }],
    })
    // As in a checkout of the repository, where every name of a commit will do.
    const checkout = join(rig.base, "checkout", "site")
    const cloned = await rig.command("git", ["clone", "-q", rig.repository.path, checkout], "/")
    expect(cloned).toMatchObject({ code: 0 })
    const words = ["plan", "--git", "origin/proposal", "environments/prod", "-o", "markdown"]
    const markdown = await rig.cli(words, checkout)
    expect(markdown.code).toBe(2)
    expect(markdown.text).toContain(`### Setpoint plan of \`origin/proposal\``)
    expect(markdown.text).toContain("`three in prod\\n`")
    expect(markdown.text).not.toContain("staging-motd")
    const none = await rig.cli(["plan", "--git", "nowhere"], checkout)
    expect(none.code).toBe(1)
    expect(none.errors).toContain("SPT-PREVIEW-001")
    expect((await rig.status()).revision).toBe(before)
    expect(rig.read("prod")).toBe("one in prod\n")
  })
})

describe.skipIf(git.missing)("ten loops of one repository", () => {
  it("converge from one copy of it, each with its own folder", async () => {
    const names = Array.from({ length: 10 }, (_, at) => `team-${at}`)
    const spec = (name: string) => ({ path: rig.target(name), content: `${name}\n` })
    const files = names.map(
      (name) => [`${name}/file.yaml`, manifestText(name, spec(name))] as const,
    )
    rig.repository.commit(Object.fromEntries(files))
    for (const name of names) rig.declareLoop(name, {})
    const all = async () => (await rig.status()).loops.filter(({ id }) => id.includes("team-"))
    rig.declareLoop("staging", {})
    await rig.run(...names)
    await waitFor("all of them converge", async () => {
      const loops = await all()
      const done = loops.filter(({ objects, converged }) => objects === 1 && converged === 1)
      return (loops.length === 10 && done.length === 10) || `${done.length} of ${loops.length}`
    })
    for (const name of names) expect(readFileSync(rig.target(name), "utf8")).toBe(`${name}\n`)
    const revisions = new Set((await all()).map(({ source }) => source?.revision))
    expect([...revisions]).toEqual([rig.repository.head()])
    const copies = readdirSync(join(rig.data, "git")).filter((name) => name !== "calls")
    expect(copies).toHaveLength(1)
  })
})
