// Promises of the hints: every change of a manifest brings one, also after the folder was away.

import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { systemClock } from "../../base/system.ts"
import type { Closeable } from "../../contract/world.ts"
import { nodeSourceFiles } from "./adapter/node-files.ts"
import { watchTree } from "./watch-tree.ts"

let top: string
let folder: string
let hints = 0
let watching: Closeable
let watches: Set<string>

beforeEach(async () => {
  top = await fs.mkdtemp(join(tmpdir(), "setpoint-watch-"))
  folder = join(top, "site")
  await fs.mkdir(join(folder, "sub"), { recursive: true })
  hints = 0
  watches = new Set()
  const files = {
    ...nodeSourceFiles,
    watch(path: string, changed: (name: string | undefined) => void) {
      const handle = nodeSourceFiles.watch(path, changed)
      watches.add(path)
      return {
        close() {
          watches.delete(path)
          handle.close()
        },
      }
    },
  }
  const changed = () => {
    hints++
  }
  watching = watchTree({ path: folder, files, clock: systemClock, changed })
  await until(() => watches.size === 2)
})

afterEach(async () => {
  watching.close()
  expect(watches.size).toBe(0)
  await fs.rm(top, { recursive: true, force: true })
})

const until = (claim: () => boolean) =>
  vi.waitFor(() => expect(claim()).toBe(true), { timeout: 30_000, interval: 10 })

async function expectHint(change: () => Promise<unknown>): Promise<void> {
  hints = 0
  await change()
  await until(() => hints > 0)
}

describe("watching a folder of manifests", () => {
  it("hints at a new, edited and removed file, also in sub-folders", async () => {
    const path = join(folder, "sub", "a.yaml")
    await expectHint(() => fs.writeFile(path, "a"))
    await expectHint(() => fs.appendFile(path, "b"))
    await expectHint(() => fs.rm(path))
  })

  it("hints at files in a folder that came later", async () => {
    await expectHint(() => fs.mkdir(join(folder, "late")))
    await until(() => watches.has(`${folder}/late`))
    await expectHint(() => fs.writeFile(join(folder, "late", "a.yaml"), "a"))
  })

  it("hints again after the whole folder vanished and came back", async () => {
    await expectHint(() => fs.rename(folder, `${folder}.away`))
    await until(() => watches.size === 0)
    await expectHint(() => fs.rename(`${folder}.away`, folder))
    await until(() => watches.size === 2)
    await expectHint(() => fs.writeFile(join(folder, "a.yaml"), "a"))
  })

  it("says nothing about hidden files", async () => {
    let tell: (name: string | undefined) => void = () => {}
    let told = 0
    const files = {
      ...nodeSourceFiles,
      watch(_: string, changed: typeof tell) {
        tell = changed
        watches.add("fake")
        return { close: () => watches.delete("fake") }
      },
    }
    const changed = () => {
      told++
    }
    const quiet = watchTree({ path: join(folder, "sub"), files, clock: systemClock, changed })
    await until(() => watches.has("fake"))
    tell(".a.yaml.swp")
    expect(told).toBe(0)
    tell("a.yaml")
    expect(told).toBe(1)
    quiet.close()
  })
})
