// The TypeScript that documents show compiles against the package as its users import it.

import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { blocksOf, documents, root } from "./pages.ts"

// Inside of the repository, so that packages are found as they are by the sources.
const folder = join(root, "node_modules", ".cache", `setpoint-docs-${process.pid}`)
const blocks = documents()
  .filter(({ path }) => !path.startsWith("docs/decisions/"))
  .flatMap(blocksOf)
  .filter(({ language, marker }) => language === "ts" && !marker.startsWith("not run"))

const settings = {
  extends: join(root, "tsconfig.json"),
  compilerOptions: {
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
    noUnusedLocals: false,
    noUnusedParameters: false,
    paths: {
      "setpoint/provider": [join(root, "src/provider/index.ts")],
      "setpoint/client": [join(root, "src/client/index.ts")],
      "setpoint/testing": [join(root, "src/testing.ts")],
      setpoint: [join(root, "src/index.ts")],
    },
  },
  include: ["*.ts"],
  exclude: [],
}

describe("TypeScript in documents", () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("compiles", { timeout: 120_000 }, () => {
    expect(blocks.length).toBeGreaterThan(0)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
    for (const { page, line, text } of blocks) {
      // Each is a module of its own, also where it imports nothing.
      const name = `${page.replaceAll("/", "-")}-${line}.ts`
      writeFileSync(join(folder, name), `${text}\nexport {}\n`)
    }
    const tsc = join(root, "node_modules", ".bin", "tsc")
    const told = spawnSync(tsc, ["-p", folder], { encoding: "utf8", timeout: 110_000 })
    const ours = told.stdout.split("\n").filter((line) => line.includes(`-${process.pid}/`))
    expect(`${ours.join("\n")}${told.stderr}`).toBe("")
  })
})
