import { describe, expect, it } from "vitest"
import { SimDisk } from "./disk.ts"
import { SimRandom } from "./sim-random.ts"

const bytes = (value: number, length: number) => new Uint8Array(length).fill(value)

async function content(disk: SimDisk): Promise<Uint8Array> {
  const handle = disk.open()
  return handle.read(0, await handle.size())
}

describe("the simulated disk", () => {
  it("drops every write that was not synced", async () => {
    const disk = new SimDisk()
    const handle = disk.open()
    await handle.write(0, bytes(1, 100))
    await handle.sync()
    await handle.write(100, bytes(2, 100))
    expect(await handle.size()).toBe(200)
    disk.crash()
    expect(await content(disk)).toEqual(bytes(1, 100))
  })

  it("kills the handles that were open when the power went", async () => {
    const disk = new SimDisk()
    const handle = disk.open()
    disk.crash()
    await expect(handle.write(0, bytes(1, 1))).rejects.toMatchObject({ code: "EIO" })
  })

  it("can keep any subset of the sectors that were not synced", async () => {
    const outcomes = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      const disk = new SimDisk()
      await disk.open().write(0, bytes(1, 3 * 512))
      disk.crash({ kind: "subset", random: new SimRandom(seed) })
      const left = await content(disk)
      const sectors = [0, 1, 2].map((sector) => left[sector * 512] ?? 0)
      outcomes.add(sectors.join(""))
    }
    expect(outcomes.size).toBe(8)
  })

  it("can tear a write at a sector", async () => {
    const sizes = new Set<number>()
    for (let seed = 0; seed < 20; seed++) {
      const disk = new SimDisk()
      await disk.open().write(0, bytes(1, 2 * 512 + 10))
      disk.crash({ kind: "torn", random: new SimRandom(seed) })
      sizes.add((await content(disk)).length)
    }
    expect([...sizes].sort((a, b) => a - b)).toEqual([0, 512, 1024, 1034])
  })

  it("writes what fits and then says that it is full", async () => {
    const disk = new SimDisk({ capacity: 150 })
    const handle = disk.open()
    await expect(handle.write(100, bytes(1, 100))).rejects.toMatchObject({ code: "ENOSPC" })
    expect(await handle.size()).toBe(150)
  })

  it("lies to whoever repeats a failed sync", async () => {
    const disk = new SimDisk()
    const handle = disk.open()
    await handle.write(0, bytes(1, 10))
    disk.failNextSync()
    await expect(handle.sync()).rejects.toMatchObject({ code: "EIO" })
    await handle.sync()
    expect(await handle.size()).toBe(10)
    disk.crash()
    expect(await content(disk)).toEqual(bytes(0, 0))
  })

  it("crashes before or after the chosen operation", async () => {
    for (const after of [false, true]) {
      const disk = new SimDisk()
      disk.crashAt(2, after)
      const handle = disk.open()
      await handle.write(0, bytes(1, 10))
      await expect(handle.sync()).rejects.toMatchObject({ code: "EIO" })
      disk.crash()
      expect((await content(disk)).length).toBe(after ? 10 : 0)
    }
  })
})
