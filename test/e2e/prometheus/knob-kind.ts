// A kind for tests whose targets exist in a file, and whose reads fail or hang while the file
// `MODE` in its folder says so. With `connection` it has a breaker.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { absent, present } from "../../../src/contract/observation.ts"
import { defineKind } from "../../../src/provider/index.ts"
import { pause } from "../plane/wait-for.ts"

const spec = z.strictObject({
  folder: z.string().max(4095),
  name: z.string().max(63),
  connection: z.string().max(63).default(""),
})

const modeOf = (folder: string): string => {
  const file = join(folder, "MODE")
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

const knob = defineKind({
  ...{ group: "test.setpoint.dev", version: "v1", kind: "Knob", plural: "knobs" },
  spec,
  identity: ({ folder, name }) => join(folder, name),
  connection: ({ connection }) => connection,
  timeoutMs: { observe: 120_000 },
  async observe({ desired }) {
    const { folder, name } = desired
    while (modeOf(folder) === "hang") await pause(50)
    if (modeOf(folder) === "fail") throw new Error("told to fail")
    return existsSync(join(folder, name)) ? present({ ...desired }, "1") : absent("ENOENT")
  },
  async create({ desired: { folder, name } }) {
    writeFileSync(join(folder, name), "")
    return { kind: "done" }
  },
  async update() {
    return { kind: "done" }
  },
  async delete({ desired: { folder, name } }) {
    rmSync(join(folder, name), { force: true })
    return { kind: "done" }
  },
})

export const kinds = [knob]
