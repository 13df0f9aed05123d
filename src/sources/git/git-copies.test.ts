import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SimClock } from "../../sim/sim-clock.ts"
import { nodeGit } from "./adapter/node-git.ts"
import { GitRepository } from "./adapter/testing/git-repository.ts"
import { unwantedMs } from "./git-copies.ts"
import { outcome, SourceRig } from "./testing/source-rig.ts"

const config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

const intervalMs = 3_600_000

let one: GitRepository
let two: GitRepository
let clock: SimClock

beforeEach(() => {
  one = new GitRepository()
  two = new GitRepository()
  clock = new SimClock()
  one.commit({ "a.yaml": config })
  two.commit({ "a.yaml": config })
})
afterEach(() => {
  one.remove()
  two.remove()
})

const data = () => join(one.home, "data")
const copies = () => readdirSync(data()).filter((name) => name !== "calls")
const rigFor = (more: Partial<ConstructorParameters<typeof SourceRig>[0]> = {}) =>
  new SourceRig({ clock, program: nodeGit(data()), ...more })

/** A source as a loop has it: watched until it is closed. */
function follow(rig: SourceRig, { url }: GitRepository) {
  const source = rig.open({ url, intervalMs })
  const { close } = source.watch(() => {})
  const read = async () => outcome(await source.read(new AbortController().signal))
  return { read, close }
}

describe("copies of repositories", () => {
  it("go some time after the last loop that named them, and not before", async () => {
    const rig = rigFor()
    const [first, second] = [follow(rig, one), follow(rig, one)]
    const other = follow(rig, two)
    for (const each of [first, second, other]) expect(await each.read()).toBe("complete 1")
    expect(copies()).toHaveLength(2)
    first.close()
    await clock.advance(2 * unwantedMs)
    expect(copies()).toHaveLength(2)
    second.close()
    await clock.advance(unwantedMs / 2)
    expect(copies()).toHaveLength(2)
    await clock.advance(unwantedMs)
    await expect.poll(copies).toHaveLength(1)
    expect(await follow(rig, one).read()).toBe("complete 1")
    await expect.poll(copies).toHaveLength(2)
  })

  it("stay for a loop that comes back in time", async () => {
    const rig = rigFor()
    const first = follow(rig, one)
    await first.read()
    first.close()
    const again = follow(rig, one)
    await again.read()
    const marker = join(data(), copies()[0] ?? "", "marker")
    writeFileSync(marker, "")
    await clock.advance(2 * unwantedMs)
    expect(await again.read()).toBe("complete 1")
    expect(existsSync(marker)).toBe(true)
  })

  it("that no loop names go some time after the start", async () => {
    await follow(rigFor(), one).read()
    const [kept] = copies()
    mkdirSync(join(data(), "0".repeat(40), "objects"), { recursive: true })
    mkdirSync(join(data(), "of-somebody-else"))
    const rig = rigFor({ tidies: true })
    await follow(rig, one).read()
    await clock.advance(unwantedMs + 1)
    await expect.poll(() => copies().sort()).toEqual([kept, "of-somebody-else"].sort())
    rig.copies.close()
  })

  it("have a limit all together, which says so and leaves the others alone", async () => {
    const random = () => Array.from({ length: 900 }, () => Math.random()).join("")
    one.commit({ "a.yaml": config, "one.bin": random() })
    two.commit({ "a.yaml": config, "two.bin": random() })
    const rig = rigFor({ bounds: { allBytes: 16_000 } })
    const [first, second] = [follow(rig, one), follow(rig, two)]
    expect(await first.read()).toBe("complete 1")
    expect(await second.read()).toBe("unreadable SPT-GIT-039")
    expect(await first.read()).toBe("complete 1")
    expect(copies()).toHaveLength(1)
    first.close()
    await clock.advance(2 * intervalMs)
    await expect.poll(copies).toHaveLength(0)
    expect(await second.read()).toBe("complete 1")
  })
})
