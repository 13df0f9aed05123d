// Gate: a plane that dies while it makes a directory ends that work in its next life, however often
// it dies, and never takes what somebody else made meanwhile for its own.

import { describe, expect, it } from "vitest"
import { disarm } from "../../src/base/protections.ts"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { full } from "../full.ts"
import { complete, DirectoryLife, directory } from "./directory-life.ts"

/** Dies at these points, one per life, and lives on; answers with the points of all lives. */
async function lives(...deaths: readonly number[]): Promise<readonly CrashPoints[]> {
  const life = (await DirectoryLife.begin()).declare(directory())
  const points = [...deaths.map((crashAt) => new CrashPoints({ crashAt })), new CrashPoints()]
  for (const each of points) await life.live(each)
  const after = points.map(({ crashed }) => crashed?.point ?? "its end").join(", ")
  const [found, reason, names] = [await life.found(), await life.reason(), await life.names()]
  const made = life.calls().filter((call) => call.startsWith("mkdir"))
  const right = { found: complete, reason: "Converged", names: ["d"], made: ["mkdir /srv/d"] }
  expect({ after, found, reason, names, made }).toEqual({ after, ...right })
  return points
}

const countPoints = async () => (await lives())[0]?.names ?? []

describe("a directory whose plane dies while it is made", () => {
  it("is made once and completely, wherever that was", async () => {
    const names = await countPoints()
    for (let crashAt = 1; crashAt <= names.length; crashAt++) await lives(crashAt)
    expect(names).toContain("before files.chmod")
  }, 600_000)

  it("and wherever the next plane dies while it goes on", async () => {
    const names = await countPoints()
    const firsts = full ? names.keys() : [names.indexOf("after files.mkdir")]
    for (const first of firsts) {
      for (let second = 1; second < 200; second++) {
        const points = await lives(first + 1, second)
        if (points[1]?.crashed === undefined) break
      }
    }
  }, 900_000)

  it.each(["Hold", "Report"])("is no drift that waits for onDrift: %s", async (onDrift) => {
    const life = (await DirectoryLife.begin({ onDrift })).declare(directory())
    await life.diesAt("after files.mkdir")
    await life.live()
    expect(await life.found()).toBe(complete)
  })

  it("is made as it is declared by then", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.diesAt("after files.chown")
    await life.declare(directory({ mode: "0700", owner: "9" })).live()
    expect([await life.found(), await life.reason()]).toEqual(["directory 700 9 8", "Converged"])
  })

  it.each(["after files.mkdir", "after files.chown"])("%s goes with its object", async (point) => {
    const life = (await DirectoryLife.begin({ onEmpty: "Allow" })).declare(directory())
    await life.diesAt(point)
    await life.declare().live()
    expect(await life.names()).toEqual([])
  })

  it("goes when its path is another one by then", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.diesAt("after files.mkdir")
    await life.declare(directory({ path: "/srv/e" })).live()
    expect([await life.names(), await life.found("/srv/e")]).toEqual([["e"], complete])
  })

  it("is tried again when its owner can't be given, and stays ours", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    life.files.space.fail({ errno: "EPERM", call: "chown", times: 3 })
    await life.live()
    expect([await life.found(), await life.reason()]).toEqual([complete, "Converged"])
    expect(life.calls().filter((call) => call.startsWith("mkdir"))).toHaveLength(1)
  })
})

describe("what somebody else made is not taken for unfinished", () => {
  /** It waits for a person, and nothing but the given calls was ever made. */
  async function untouched(life: DirectoryLife, ...calls: readonly string[]): Promise<void> {
    const before = await life.found()
    await life.live()
    const [found, reason] = [await life.found(), await life.reason()]
    expect({ found, reason }).toEqual({ found: before, reason: "Adopt" })
    expect(life.calls()).toEqual(calls)
  }

  const modes = ["0700", "0755", "0400", "1000", "1700"]
  it.each(modes)("made while no plane ran, with mode %s", async (mode) => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.diesAt("before files.mkdir")
    await life.somebody.mkdir("/srv/d", Number.parseInt(mode, 8))
    await untouched(life)
  })

  it("though it looks like it: no create was under way", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.somebody.mkdir("/srv/d", 0o1400)
    await untouched(life)
  })

  it("though it looks like it: the create found it there", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.meets("before files.mkdir", () => life.somebody.mkdir("/srv/d", 0o1400))
    await untouched(life)
  })

  it("nor what somebody put something into", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.diesAt("after files.mkdir")
    await life.somebody.writeNew("/srv/d/kept", Buffer.from("somebody's"))
    await untouched(life, "mkdir /srv/d")
  })

  it("nor what somebody changed", async () => {
    const life = (await DirectoryLife.begin()).declare(directory())
    await life.diesAt("after files.mkdir")
    await life.somebody.chmod("/srv/d", 0o755)
    await untouched(life, "mkdir /srv/d")
  })

  const elsewhere = directory({ path: "/srv/e" })
  it.each([
    ["goes with its object", [], ["d"]],
    ["goes when its path is another one by then", [elsewhere], ["d", "e"]],
  ] as const)("nor %s", async (_, declared, left) => {
    const names = async () => {
      const life = (await DirectoryLife.begin({ onEmpty: "Allow" })).declare(directory())
      await life.diesAt("before files.mkdir")
      await life.somebody.mkdir("/srv/d", 0o755)
      await life.declare(...declared).live()
      return life.names()
    }
    expect(await names()).toEqual(left)
    const rearm = disarm("interrupted-create-needs-proof")
    try {
      expect(await names()).not.toContain("d")
    } finally {
      rearm()
    }
  })
})
