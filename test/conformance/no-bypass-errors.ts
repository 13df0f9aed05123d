// What a provider must not be able to write. Every marked line is an error of types; this file is
// compiled with the tests and never run.

import { z } from "zod"
import { defineKind, type ObserveContext, type ReadWorld } from "../../src/provider/index.ts"

const spec = z.strictObject({ path: z.string() })
const content = new Uint8Array()

export async function look({ world }: ObserveContext): Promise<void> {
  // @ts-expect-error
  await world.files.writeTemporary("/", content, 0o644)
  // @ts-expect-error
  await world.files.rename("/a", "/b")
  // @ts-expect-error
  await world.files.unlink("/a")
  // @ts-expect-error
  await world.files.chmod("/a", 0)
  // @ts-expect-error
  await world.files.mkdir("/a", 0o755)
}

export function replace(world: ReadWorld): void {
  // @ts-expect-error
  world.http = { request: async () => ({ status: 200, headers: {}, body: "" }) }
  // @ts-expect-error
  world.files = { ...world.files }
}

export const kind = defineKind({
  ...{ group: "types.example.com", version: "v1", kind: "Typed", spec },
  identity: ({ path }) => path,
  // @ts-expect-error
  normalize: (value, _world) => {
    return value
  },
  async observe(target, { world }) {
    // @ts-expect-error
    await world.files.rmdir(target.desired.path)
    return { kind: "absent", proof: "ENOENT" }
  },
  fingerprints(identities, world) {
    // @ts-expect-error
    void world.files.link("/a", "/b")
    return identities
  },
  watch(_target, world, changed) {
    // @ts-expect-error
    void world.files.symlink("/a", "/b")
    return world.files.watch("/", changed)
  },
  async create(_target, context) {
    // @ts-expect-error
    context.world = { files: context.world.files, http: context.world.http }
    // @ts-expect-error
    context.action.loop = "default.other"
    return { kind: "done" }
  },
  update: async () => ({ kind: "done" }),
  delete: async () => ({ kind: "done" }),
})
