// The kinds of a plane with their real handles, on a host whose directories are not all real.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { finishAction } from "../../contract/action.ts"
import { localKinds, localWorld } from "./local-kinds.ts"

const base = mkdtempSync(join(tmpdir(), "spt-kinds-"))
const local = localWorld()
afterEach(() => {
  local.close()
  rmSync(base, { recursive: true })
})

it("keeps the copies of what it adopts also where the way to the data is a symlink", async () => {
  mkdirSync(join(base, "disk"))
  symlinkSync("disk", join(base, "home"))
  // The plane makes its directory after its kinds.
  const kinds = await localKinds({ directory: join(base, "home/data") })
  mkdirSync(join(base, "home/data"))
  const kind = kinds.find((one) => one.kind === "File")
  if (kind === undefined) throw new Error("no kind File")
  writeFileSync(join(base, "motd"), "old")
  const desired = { path: join(base, "motd"), content: "new", mode: "0644" }
  const target = { uid: "u", object: "o", desired, identity: kind.identity(desired) }
  const { signal } = new AbortController()
  const world = local.actWorld
  const seen = await kind.observe?.(target, { world, signal })
  const token = seen?.kind === "present" ? { token: seen.token } : {}
  const action = finishAction({
    ...{ verb: "adopt", uid: "u", object: "o", kind: "File", loop: "default.default" },
    ...{ generation: 1, incarnation: 1, changes: [], target: "t", ...token },
    cause: { kind: "edit", text: "test" },
  })
  const context = { world, signal, action, idempotencyKey: "k", ...token }
  expect(await kind.update(target, context)).toMatchObject({ kind: "done" })
  const kept = join(base, "disk/data/backups")
  expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"))).toEqual(["old"])
})
