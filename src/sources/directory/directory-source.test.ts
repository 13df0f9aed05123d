// Promises of the directory source, on real folders: the whole folder or a reason, never a part.

import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { dropsOverride, mountsPrivately } from "../../../test/tools.ts"
import { systemClock } from "../../base/system.ts"
import type { SourceSnapshot } from "../../contract/source.ts"
import { nodeSourceFiles } from "./adapter/node-files.ts"
import { createDirectorySource } from "./directory-source.ts"
import type { SourceFiles } from "./source-files.ts"

const run = promisify(execFile)
const live = AbortSignal.timeout(600_000)
let top: string
let folder: string

beforeEach(async () => {
  top = await fs.mkdtemp(join(tmpdir(), "setpoint-source-"))
  folder = join(top, "site")
  await fs.mkdir(folder)
})

afterEach(async () => {
  await fs.rm(top, { recursive: true, force: true })
})

const manifest = (name: string, extra = "") =>
  `apiVersion: host.setpoint.dev/v1\nkind: File\nmetadata: { name: ${name} }\n${extra}`

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await fs.mkdir(join(path, ".."), { recursive: true })
  await fs.writeFile(path, text)
  return path
}

function open(files: SourceFiles = nodeSourceFiles, path = folder) {
  return createDirectorySource({ path, files, clock: systemClock })
}

/** The names, or the codes of the issues after the kind. */
function summary(snapshot: SourceSnapshot): string {
  if (snapshot.kind !== "complete") {
    return `${snapshot.kind} ${snapshot.issues.map((issue) => issue.code).join(" ")}`
  }
  return snapshot.manifests.map((found) => found.object.metadata.name).join(" ")
}

function counting(): { files: SourceFiles; reads: string[] } {
  const reads: string[] = []
  const files: SourceFiles = {
    ...nodeSourceFiles,
    read: async (path, max) => {
      reads.push(path)
      return await nodeSourceFiles.read(path, max)
    },
  }
  return { files, reads }
}

describe("a complete revision", () => {
  it("holds every manifest of the tree, in the order of paths, with places", async () => {
    await write("b.yaml", manifest("b"))
    await write("a/deep/c.yml", `# c\n${manifest("c")}`)
    await write("a.json", JSON.stringify({ apiVersion: "v1", kind: "N", metadata: { name: "a" } }))
    const snapshot = await open().read(live)
    expect(summary(snapshot)).toBe("a c b")
    const positions = snapshot.kind === "complete" ? snapshot.manifests : []
    expect(positions[1]?.position).toEqual({ file: "site/a/deep/c.yml", line: 2, column: 1 })
  })

  it("leaves out hidden entries, editors' temporary files and other file types", async () => {
    await write("a.yaml", manifest("a"))
    for (const name of [".b.yaml", ".git/c.yaml", "d.yaml~", "#e.yaml#", "f.yaml.swp", "g.txt"]) {
      await write(name, manifest("x"))
    }
    expect(summary(await open().read(live))).toBe("a")
  })

  it("is empty and complete for a readable folder without manifests", async () => {
    expect(await open().read(live)).toMatchObject({ kind: "complete", manifests: [] })
  })

  it("has a revision that follows content and names, and nothing else", async () => {
    const path = await write("a.yaml", manifest("a"))
    const revision = async () => {
      const snapshot = await open().read(live)
      return snapshot.kind === "complete" ? snapshot.revision : summary(snapshot)
    }
    const first = await revision()
    await fs.utimes(path, 1, 1)
    expect(await revision()).toBe(first)
    await fs.rename(path, join(folder, "b.yaml"))
    const renamed = await revision()
    expect(renamed).not.toBe(first)
    await write("b.yaml", manifest("a", "spec: {}\n"))
    expect(await revision()).not.toBe(renamed)
  })

  it("follows a symlink at the top, since it was named by a person", async () => {
    await write("a.yaml", manifest("a"))
    await fs.symlink(folder, join(top, "link"))
    expect(summary(await open(nodeSourceFiles, join(top, "link")).read(live))).toBe("a")
  })
})

describe("unchanged files", () => {
  it("are not read again once they are old, and keep their manifests' identity", async () => {
    const { files, reads } = counting()
    for (let at = 0; at < 200; at++) await write(`${at}.yaml`, manifest(`m${at}`))
    // Only a clock that runs ahead can age the files without waiting.
    const ahead = { ...systemClock, now: () => Date.now() + 60_000 }
    const aged = createDirectorySource({ path: folder, files, clock: ahead })
    const before = await aged.read(live)
    reads.length = 0
    expect(await aged.read(live)).toBe(before)
    expect(reads).toEqual([])
    await write("7.yaml", manifest("seven"))
    const after = await aged.read(live)
    expect(reads).toEqual([join(folder, "7.yaml")])
    const find = (snapshot: SourceSnapshot, name: string) =>
      snapshot.kind === "complete"
        ? snapshot.manifests.find((found) => found.object.metadata.name === name)
        : undefined
    expect(find(after, "m8")).toBe(find(before, "m8"))
    expect(find(after, "seven")).toBeDefined()
  })

  it("are read again while young, since two writes may share one timestamp", async () => {
    const { files, reads } = counting()
    const source = open(files)
    await write("a.yaml", manifest("a"))
    const first = await source.read(live)
    expect(await source.read(live)).toBe(first)
    expect(reads).toHaveLength(2)
  })
})

describe("an unreadable folder", () => {
  it("is said to be missing when it does not exist, and read when it returns", async () => {
    await write("a.yaml", manifest("a"))
    const source = open()
    expect(summary(await source.read(live))).toBe("a")
    await fs.rename(folder, `${folder}.away`)
    expect(summary(await source.read(live))).toBe("unreadable SPT-SOURCE-030")
    await fs.rename(`${folder}.away`, folder)
    expect(summary(await source.read(live))).toBe("a")
  })

  it("is said to be no folder when it is a file", async () => {
    await fs.rmdir(folder)
    await fs.writeFile(folder, "")
    expect(summary(await open().read(live))).toBe("unreadable SPT-SOURCE-032")
  })

  it("is not taken for empty when it was replaced by an empty one", async () => {
    await write("a.yaml", manifest("a"))
    const source = open()
    expect(summary(await source.read(live))).toBe("a")
    await fs.rename(folder, `${folder}.away`)
    await fs.mkdir(folder)
    expect(summary(await source.read(live))).toBe("unreadable SPT-SOURCE-035")
    await write("b.yaml", manifest("b"))
    expect(summary(await source.read(live))).toBe("b")
  })

  it("is not taken for empty when a sub-folder was replaced by an empty one", async () => {
    await write("a.yaml", manifest("a"))
    await write("sub/b.yaml", manifest("b"))
    const source = open()
    expect(summary(await source.read(live))).toBe("a b")
    await fs.rename(join(folder, "sub"), join(top, "away"))
    await fs.mkdir(join(folder, "sub"))
    expect(summary(await source.read(live))).toBe("unreadable SPT-SOURCE-035")
  })

  it("is complete and empty when a person removed the files of the same folder", async () => {
    const path = await write("a.yaml", manifest("a"))
    const source = open()
    await source.read(live)
    await fs.rm(path)
    expect(await source.read(live)).toMatchObject({ kind: "complete", manifests: [] })
  })

  it.each([
    ["list", "EIO"],
    ["read", "EIO"],
    ["lstat", "ESTALE"],
  ] as const)("is unreadable as a whole when one %s fails with %s", async (call, errno) => {
    await write("a.yaml", manifest("a"))
    await write("z/b.yaml", manifest("b"))
    const failing: SourceFiles = {
      ...nodeSourceFiles,
      [call]: async (path: string, max: number) => {
        if (!path.includes("/z")) return await nodeSourceFiles[call](path, max)
        throw Object.assign(new Error("the disk"), {
          setpointFault: true,
          code: "X",
          details: { errno },
        })
      },
    }
    expect(summary(await open(failing).read(live))).toBe("unreadable SPT-SOURCE-036")
  })

  it("answers when told to stop although the disk hangs", async () => {
    await write("a.yaml", manifest("a"))
    const hanging: SourceFiles = { ...nodeSourceFiles, read: () => new Promise(() => {}) }
    const stop = new AbortController()
    const answer = open(hanging).read(stop.signal)
    stop.abort()
    expect(summary(await answer)).toBe("unreadable SPT-SOURCE-037")
  })
})

describe("a file in the middle of a save", () => {
  /** Calls the hook after the n-th read of the disk, as another writer would act between. */
  function between(hook: (reads: number) => Promise<void>): SourceFiles {
    let reads = 0
    return {
      ...nodeSourceFiles,
      read: async (path, max) => {
        const content = await nodeSourceFiles.read(path, max)
        await hook(++reads)
        return content
      },
    }
  }

  it("is read again when it changed while it was read", async () => {
    await write("a.yaml", manifest("half"))
    const files = between(async (reads) => {
      if (reads === 1) await write("a.yaml", manifest("whole"))
    })
    expect(summary(await open(files).read(live))).toBe("whole")
  })

  it("is half-written when it never stops changing", async () => {
    await write("a.yaml", manifest("a"))
    const files = between(async (reads) => {
      await write("a.yaml", manifest(`a${reads}`))
    })
    expect(summary(await open(files).read(live))).toBe("unreadable SPT-SOURCE-034")
  })

  it("is looked for again when it vanished between list and read", async () => {
    await write("a.yaml", manifest("a"))
    await write("b.yaml", manifest("b"))
    let gone = false
    const files: SourceFiles = {
      ...nodeSourceFiles,
      read: async (path, max) => {
        if (!gone && path.endsWith("b.yaml")) await fs.rm(path)
        gone ||= path.endsWith("b.yaml")
        return await nodeSourceFiles.read(path, max)
      },
    }
    expect(summary(await open(files).read(live))).toBe("a")
  })

  it("is waited for when the editor moved it away and has not written it yet", async () => {
    await write("a.yaml", manifest("a"))
    const source = open()
    await source.read(live)
    await fs.rename(join(folder, "a.yaml"), join(folder, "a.yaml~"))
    const answer = source.read(live)
    await new Promise((resolve) => setImmediate(resolve))
    await write("a.yaml", manifest("saved"))
    expect(summary(await answer)).toBe("saved")
  })

  it("is not taken for an empty declaration when it has no bytes yet", async () => {
    await write("a.yaml", manifest("a"))
    await write("b.yaml", "")
    expect(summary(await open().read(live))).toBe("unreadable SPT-SOURCE-038")
  })
})

describe("an invalid folder", () => {
  it("names the broken file with line and column and gives none of the others", async () => {
    await write("a.yaml", manifest("a"))
    await write("b.yaml", `${manifest("b")}spec: [\n`)
    const snapshot = await open().read(live)
    expect(summary(snapshot)).toBe("invalid SPT-SOURCE-006")
    const issue = snapshot.kind === "invalid" ? snapshot.issues[0] : undefined
    expect(issue?.position).toEqual({ file: "site/b.yaml", line: 5, column: 1 })
  })

  it("refuses a symlink inside, also one that leads out of the folder", async () => {
    await write("a.yaml", manifest("a"))
    await fs.symlink("/etc", join(folder, "etc"))
    expect(summary(await open().read(live))).toBe("invalid SPT-SOURCE-033")
  })

  it("refuses a pipe with a manifest's name without opening it", async () => {
    await run("mkfifo", [join(folder, "p.yaml")])
    expect(summary(await open().read(live))).toBe("invalid SPT-SOURCE-033")
  })

  it("refuses bytes that are no UTF-8, and files above the limit", async () => {
    await fs.writeFile(join(folder, "a.yaml"), Buffer.from([0x61, 0xff]))
    await fs.writeFile(join(folder, "b.yaml"), "#".repeat(1024 * 1024 + 1))
    expect(summary(await open().read(live))).toBe("invalid SPT-SOURCE-016 SPT-SOURCE-001")
  })
})

/** Reads in another process before and after a shell command; prints both summaries as JSON. */
async function readAround(prefix: readonly string[], setup: string, change: string) {
  const program = `
    import { execFileSync } from "node:child_process"
    import { systemClock } from "${new URL("../../base/system.ts", import.meta.url)}"
    import { nodeSourceFiles } from "${new URL("./adapter/node-files.ts", import.meta.url)}"
    import { createDirectorySource } from "${new URL("./directory-source.ts", import.meta.url)}"
    const [path, setup, change] = process.argv.slice(1)
    const shell = (text) => execFileSync("sh", ["-ec", text], { cwd: path })
    shell(setup)
    const source = createDirectorySource({ path, files: nodeSourceFiles, clock: systemClock })
    const read = async () => {
      const found = await source.read(AbortSignal.timeout(60_000))
      return found.kind + " " + (found.manifests?.length ?? found.issues.map((i) => i.code))
    }
    const before = await read()
    shell(change)
    console.log(JSON.stringify([before, await read()]))
  `
  const node = [process.execPath, "--no-warnings", "--input-type=module", "-e", program]
  const [command = "", ...rest] = [...prefix, ...node, folder, setup, change]
  const { stdout } = await run(command, rest, { timeout: 60_000 })
  return JSON.parse(stdout)
}

const permissions = dropsOverride()
describe.skipIf(permissions.check.missing)("without the right to read (setpriv)", () => {
  it.each([
    ["the folder", "."],
    ["a sub-folder", "sub"],
    ["one file", "sub/b.yaml"],
  ])("is unreadable when %s has mode 000", async (_, path) => {
    await write("a.yaml", manifest("a"))
    await write("sub/b.yaml", manifest("b"))
    const [before, after] = await readAround(permissions.prefix, "true", `chmod 000 ${path}`)
    await fs.chmod(join(folder, "."), 0o755)
    expect([before, after]).toEqual(["complete 2", "unreadable SPT-SOURCE-031"])
  })
})

describe.skipIf(mountsPrivately().missing)("on a mount of its own (unshare)", () => {
  it("is unreadable, not empty, after the folder was unmounted", async () => {
    await fs.writeFile(join(top, "a.yaml"), manifest("a"))
    const fill = 'mount -t tmpfs none "$PWD"; cp "$PWD/../a.yaml" "$PWD/"'
    const answer = await readAround(["unshare", "-m"], fill, 'cd /; umount "$OLDPWD"')
    expect(answer).toEqual(["complete 1", "unreadable SPT-SOURCE-035"])
  })
})
