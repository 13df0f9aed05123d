// A kind for tests: a file that is made through the acting handles, slowly when told to. The folder
// `control` says how: `block-NAME` blocks the event loop once, for as many milliseconds as it says,
// before the first mutating call; `hang-NAME` makes the act wait until it is removed; `end-NAME`
// does the same after everything is done and before it is said. With `url` the act first sends a
// request that the test's server may leave unanswered.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { absent, present } from "../../../src/contract/observation.ts"
import { defineKind } from "../../../src/provider/index.ts"
import { pause } from "./wait-for.ts"

const spec = z.strictObject({
  path: z.string().max(4095),
  content: z.string(),
  control: z.string().max(4095),
  name: z.string(),
  url: z.string().optional(),
})

type Spec = z.output<typeof spec>

/** Nothing of this process runs meanwhile. */
function block({ control, name }: Spec): void {
  const file = join(control, `block-${name}`)
  if (!existsSync(file)) return
  const milliseconds = Number(readFileSync(file, "utf8"))
  rmSync(file)
  writeFileSync(join(control, `blocked-${name}`), "")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

async function hang({ control, name }: Spec, when = "hang"): Promise<void> {
  const file = join(control, `${when}-${name}`)
  if (!existsSync(file)) return
  writeFileSync(join(control, `${when}ing-${name}`), "")
  while (existsSync(file)) await pause(20)
}

const slow = defineKind({
  ...{ group: "test.setpoint.dev", version: "v1", kind: "Slow", plural: "slows" },
  spec,
  identity: ({ path }) => path,
  timeoutMs: { act: 20_000 },
  async observe(target, { world: { files } }) {
    const { path, content: _, ...rest } = target.desired
    const stat = await files.lstat(path)
    if (stat === undefined) return absent("ENOENT")
    const content = Buffer.from(await files.read(path, 65_536)).toString("utf8")
    return present({ ...rest, path, content }, `${stat.inode}.${stat.ctimeNs}`)
  },
  async create({ desired }, { world: { files, http }, signal }) {
    await hang(desired)
    block(desired)
    const { url } = desired
    if (url !== undefined) {
      await http.request({ method: "PUT", url, body: "", timeoutMs: 15_000 }, signal)
    }
    const bytes = Buffer.from(desired.content)
    const temporary = await files.writeTemporary(dirname(desired.path), bytes, 0o644)
    await files.rename(temporary, desired.path)
    await hang(desired, "end")
    return { kind: "done" }
  },
  async update({ desired }, { world: { files } }) {
    const bytes = Buffer.from(desired.content)
    const temporary = await files.writeTemporary(dirname(desired.path), bytes, 0o644)
    await files.rename(temporary, desired.path)
    await hang(desired, "end")
    return { kind: "done" }
  },
  async delete({ desired }, { world: { files } }) {
    await files.unlink(desired.path)
    return { kind: "done" }
  },
})

export const kinds = [slow]
