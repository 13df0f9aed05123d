import { expect, test } from "vitest"
import type { FilesRead } from "../../contract/world.ts"
import { nodeFiles } from "./adapter/node-files.ts"
import { NameWatches } from "./name-watches.ts"

function fakeHints() {
  const open = new Map<string, (name: string | undefined) => void>()
  let opened = 0
  const files: FilesRead = {
    ...nodeFiles(),
    watch(directory, changed) {
      opened++
      open.set(directory, changed)
      return { close: () => void open.delete(directory) }
    },
  }
  return { files, open, opened: () => opened }
}

test("one subscription per directory; a name wakes its own targets only", () => {
  const { files, open, opened } = fakeHints()
  const watches = new NameWatches()
  const woken: string[] = []
  const closers = ["/d/a", "/d/b", "/d/b", "/e/a"].map((path, index) =>
    watches.watch(files, path, () => woken.push(`${path}#${index}`)),
  )
  expect(opened()).toBe(2)
  open.get("/d")?.("b")
  open.get("/d")?.("unknown name")
  expect(woken).toEqual(["/d/b#1", "/d/b#2"])
  open.get("/d")?.(undefined)
  expect(woken).toHaveLength(5)
  closers[1]?.close()
  closers[1]?.close()
  open.get("/d")?.("b")
  expect(woken.at(-1)).toBe("/d/b#2")
  for (const closer of closers) closer.close()
  expect(open.size).toBe(0)
  watches.watch(files, "/d/a", () => woken.push("again"))
  open.get("/d")?.("a")
  expect(woken.at(-1)).toBe("again")
})

test("a target that stops watching while it is woken disturbs no other", () => {
  const { files, open } = fakeHints()
  const watches = new NameWatches()
  const woken: string[] = []
  const first = watches.watch(files, "/d/a", () => {
    woken.push("first")
    first.close()
  })
  watches.watch(files, "/d/a", () => woken.push("second"))
  open.get("/d")?.(undefined)
  open.get("/d")?.("a")
  expect(woken).toEqual(["first", "second", "second"])
})
