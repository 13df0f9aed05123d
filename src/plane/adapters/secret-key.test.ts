import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemRandom } from "../../base/system.ts"
import { openSealer, openSecretKey } from "./secret-key.ts"

let folder = ""
let file = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "setpoint-key-"))
  file = join(folder, "key")
})
afterEach(() => rmSync(folder, { recursive: true }))

describe("the key file", () => {
  it("is made when it is missing, and then stays", () => {
    openSecretKey("plane", systemRandom, file)
    const made = readFileSync(file, "utf8")
    expect(made).toMatch(/^[0-9a-f]{64}\n$/)
    openSecretKey("plane", systemRandom, file)
    expect(readFileSync(file, "utf8")).toBe(made)
  })

  it("is refused, and left alone, when it holds anything but whole keys", () => {
    const good = "ab".repeat(32)
    const others = [
      "correct horse",
      "q83vEjRWeJCrze8SNFZ4kA==",
      "abcd",
      `${good}\n${good.slice(1)}`,
    ]
    for (const text of others) {
      writeFileSync(file, text)
      expect(() => openSecretKey("plane", systemRandom, file)).toThrow("something else than keys")
      expect(() => openSealer("plane", systemRandom, file)).toThrow("something else than keys")
      expect(readFileSync(file, "utf8")).toBe(text)
    }
  })
})
