// Promises of overlays on real folders: the loop's folder and its bases are read as one moment.

import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemClock } from "../../base/system.ts"
import type { SourceSnapshot } from "../../contract/source.ts"
import { nodeSourceFiles } from "./adapter/node-files.ts"
import { createDirectorySource } from "./directory-source.ts"
import type { SourceFiles } from "./source-files.ts"

const live = AbortSignal.timeout(600_000)
let root: string

beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), "setpoint-overlay-"))
  await write("base/a.yaml", manifest("a", "hello"))
  await write("prod/overlay.yaml", overlay("base: ../base\nvariables: { who: prod }\n"))
})

afterEach(async () => {
  await fs.rm(root, { recursive: true, force: true })
})

const manifest = (name: string, text: string) =>
  [
    "apiVersion: host.setpoint.dev/v1",
    "kind: File",
    `metadata: { name: ${name} }`,
    `spec: { text: "${text}" }\n`,
  ].join("\n")

const overlay = (rest: string) => `apiVersion: setpoint.dev/v1alpha1\nkind: Overlay\n${rest}`

async function write(name: string, text: string): Promise<void> {
  const path = join(root, name)
  await fs.mkdir(join(path, ".."), { recursive: true })
  await fs.writeFile(path, text)
}

function open(options: { root?: string; files?: SourceFiles } = { root }) {
  const path = join(root, "prod")
  return createDirectorySource({ path, files: nodeSourceFiles, clock: systemClock, ...options })
}

function summary(snapshot: SourceSnapshot): string {
  if (snapshot.kind !== "complete") return snapshot.issues.map((one) => one.code).join(" ")
  return snapshot.manifests.map(({ object }) => String(object.spec?.text)).join(" ")
}

describe("a folder with an overlay", () => {
  it("reads its base from the root, and the base again when it changes", async () => {
    const source = open()
    const first = await source.read(live)
    expect(summary(first)).toBe("hello")
    expect(await source.read(live)).toBe(first)
    await write("base/a.yaml", manifest("a", `for \${who}`))
    const second = await source.read(live)
    expect(summary(second)).toBe("for prod")
    expect(second.kind === "complete" && second.manifests[0]?.position.file).toBe("base/a.yaml")
  })

  it("refuses a base outside of its own folder where no root is named, and says how", async () => {
    const snapshot = await open({}).read(live)
    expect(summary(snapshot)).toBe("SPT-OVERLAY-002")
    expect(JSON.stringify(snapshot)).toContain("spec.source.directory.root")
  })

  it("refuses a root that does not hold the folder", async () => {
    expect(summary(await open({ root: join(root, "base") }).read(live))).toBe("SPT-SOURCE-039")
  })

  it("follows no symlink to a base, wherever in its path it is", async () => {
    await fs.mkdir(join(root, "other/real"), { recursive: true })
    await write("other/real/a.yaml", manifest("a", "stolen"))
    await fs.symlink(join(root, "other"), join(root, "link"))
    await write("prod/overlay.yaml", overlay("base: ../link/real\n"))
    expect(summary(await open().read(live))).toBe("SPT-SOURCE-033")
  })

  it("says which base is missing, and reads on without one that nobody names", async () => {
    const source = open()
    await source.read(live)
    await fs.rm(join(root, "base"), { recursive: true })
    expect(summary(await source.read(live))).toBe("SPT-OVERLAY-002")
    await write("prod/overlay.yaml", overlay(""))
    await write("prod/b.yaml", manifest("b", "own"))
    expect(summary(await source.read(live))).toBe("own")
  })

  it("is half-written when its base changes while the overlay is read", async () => {
    let reads = 0
    const files: SourceFiles = {
      ...nodeSourceFiles,
      read: async (path, max) => {
        const content = await nodeSourceFiles.read(path, max)
        if (path.endsWith("overlay.yaml")) return content
        await write("base/b.yaml", manifest("b", `late ${++reads}`))
        return content
      },
    }
    expect(summary(await open({ root, files }).read(live))).toBe("SPT-SOURCE-034")
  })

  it("hints when a base changes that only a later overlay named", async () => {
    await write("later/a.yaml", manifest("a", "later"))
    const source = open()
    await source.read(live)
    let hinted = () => {}
    const watch = source.watch(() => hinted())
    try {
      await write("prod/overlay.yaml", overlay("base: ../later\n"))
      expect(summary(await source.read(live))).toBe("later")
      const hint = new Promise<void>((resolve) => {
        hinted = resolve
      })
      // Arming takes a moment; whoever writes again is seen sooner or later.
      const again = setInterval(() => void write("later/b.yaml", manifest("b", "more")), 50)
      await hint.finally(() => clearInterval(again))
      expect(summary(await source.read(live))).toContain("later")
    } finally {
      watch.close()
    }
  })
})
