import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemClock } from "../../base/system.ts"
import { nodeGit } from "./adapter/node-git.ts"
import { GitRepository } from "./adapter/testing/git-repository.ts"
import { outcome, SourceRig } from "./testing/source-rig.ts"

const config = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`

let repository: GitRepository
let rig: SourceRig

const data = () => join(repository.home, "data")
const rigFor = ({ program = nodeGit(data()) } = {}) =>
  new SourceRig({ clock: systemClock, program })
const open = () => rig.open({ url: repository.url })
const take = async () => outcome(await rig.take(open()))

describe("a copy that is damaged", () => {
  const copy = () => {
    const [name = ""] = readdirSync(data()).filter((one) => one !== "calls")
    return join(data(), name)
  }
  const packs = () => {
    const folder = join(copy(), "objects/pack")
    return readdirSync(folder).flatMap((name) =>
      name.endsWith(".pack") ? [join(folder, name.slice(0, -5))] : [],
    )
  }
  const damage = (pack: string, how: string) => {
    const bytes = readFileSync(`${pack}.pack`)
    rmSync(`${pack}.pack`)
    if (how === "cut short") writeFileSync(`${pack}.pack`, bytes.subarray(0, 40))
    if (how === "overwritten") writeFileSync(`${pack}.pack`, bytes.fill(7, 12, bytes.length - 20))
    if (how === "gone") rmSync(`${pack}.idx`)
  }
  const restarted = () => Object.assign(rigFor({ program: nodeGit(data()) }), { taken: rig.taken })

  beforeEach(async () => {
    repository = new GitRepository()
    repository.commit({ "a.yaml": config("a"), "notes.txt": "x".repeat(9000) })
    rig = rigFor({ program: nodeGit(data()) })
    expect(await take()).toBe("complete 1")
  })
  afterEach(() => repository.remove())

  it("loses the locks that a killed plane left in it", async () => {
    for (const lock of ["refs/setpoint/heads/main.lock", "packed-refs.lock"]) {
      writeFileSync(join(copy(), lock), "")
    }
    repository.commit({ "a.yaml": config("a"), "b.yaml": config("b") })
    rig = restarted()
    expect(await take()).toBe("complete 2")
  })

  it.each(["cut short", "overwritten", "gone"])(
    "is fetched again when a fetch meets a pack that is %s",
    async (how) => {
      repository.commit({ "a.yaml": config("a"), "b.yaml": config("b") })
      for (const pack of packs()) damage(pack, how)
      rig = restarted()
      const source = open()
      const answer = async () => outcome(await rig.take(source))
      await expect.poll(answer, { timeout: 10_000 }).toBe("complete 2")
    },
  )

  it.each(["cut short", "overwritten", "gone"])(
    "is not taken for rewritten history when what was taken last is %s",
    async (how) => {
      const [first = ""] = packs()
      repository.commit({ "a.yaml": config("a"), "b.yaml": config("b") })
      await open().read(new AbortController().signal) // Fetched, and not taken yet.
      damage(first, how)
      rig = restarted()
      const source = open()
      const answers: string[] = []
      const answer = async () => {
        answers.push(outcome(await rig.take(source)))
        return answers.at(-1)
      }
      await expect.poll(answer, { timeout: 10_000 }).toBe("complete 2")
      expect(answers.join()).not.toContain("SPT-GIT-020")
    },
  )

  it("is thrown away once, not at every look, for what is wrong at the server", async () => {
    const removed: string[] = []
    const program = nodeGit(data())
    const remove = async (name: string) => {
      removed.push(name)
      await program.remove(name)
    }
    rig = Object.assign(rigFor({ program: { ...program, remove } }), { taken: rig.taken })
    const inner = repository.tree({ "a.yaml": "" })
    const entry = Buffer.concat([Buffer.from("40000 ..\0"), Buffer.from(inner, "hex")])
    repository.commitTree(repository.rawTree(entry))
    const source = open()
    for (let look = 0; look < 3; look++) {
      source.poke?.()
      expect(outcome(await rig.take(source))).toBe("invalid SPT-GIT-017")
    }
    expect(removed).toHaveLength(1)
    repository.git(["update-ref", "refs/heads/main", rig.taken?.revision ?? ""])
    repository.commit({ "a.yaml": config("a"), "b.yaml": config("b") })
    source.poke?.()
    expect(outcome(await rig.take(source))).toBe("complete 2")
  })
})
