import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { note } from "../../examples/10-own-provider/note.ts"
import { loadProviders } from "./adapter/load-module.ts"
import { createRegistry } from "./registry.ts"

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function moduleWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-registry-"))
  folders.push(folder)
  const path = join(folder, "provider.mjs")
  await writeFile(path, text)
  return path
}

describe("the registry", () => {
  it("finds kinds by resource and by name", () => {
    const elsewhere = { ...note, group: "other.example.com" }
    const registry = createRegistry([note, elsewhere])
    expect(registry.byResource("notes.example.com", "notes")).toBe(note)
    expect(registry.byKind("Note", "other.example.com")).toBe(elsewhere)
    expect(registry.byKind("Note")).toBeUndefined()
    expect(createRegistry([note]).byKind("Note")).toBe(note)
    expect(registry.byResource("notes.example.com", "files")).toBeUndefined()
  })

  it("refuses the same kind and the same resource twice", () => {
    expect(() => createRegistry([note, note])).toThrow("that resource")
    expect(() => createRegistry([note, { ...note, resource: "jottings" }])).toThrow("that name")
  })
})

describe("loading providers", () => {
  it("takes the kinds that a module exports", async () => {
    const path = join(import.meta.dirname, "../../examples/10-own-provider/note.ts")
    expect((await loadProviders([path])).map(({ kind }) => kind)).toEqual(["Note"])
  })

  it.each([
    ["a module that is not there", undefined, "cannot load provider"],
    ["a module with a mistake", "export const kinds = [", "cannot load provider"],
    ["a module without kinds", "export const other = 1", "exports no kinds"],
    ["something that is no kind", "export const kinds = [{}]", "kinds[0] has no group"],
    ["a number", "export const kinds = [1]", "kinds[0] is not an object"],
  ])("refuses %s", async (_, text, cause) => {
    const path = text === undefined ? "/nowhere/provider.mjs" : await moduleWith(text)
    await expect(loadProviders([path])).rejects.toMatchObject({
      code: "SPT-PROV-005",
      message: expect.stringContaining(cause),
    })
  })
})
