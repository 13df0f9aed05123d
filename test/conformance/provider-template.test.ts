// What `setpoint new provider` writes runs as it is: its own test is started with node's test
// runner in a folder of its own and passes the whole suite.

import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { conformanceRules } from "../../src/provider/conformance/conformance.ts"
import { providerTemplate } from "../../src/provider/template.ts"

const root = join(import.meta.dirname, "../..")
/** Where an installed package would be found. */
const installed: Readonly<Record<string, string>> = {
  "setpoint/provider": "src/provider/index.ts",
  "setpoint/testing": "src/testing.ts",
  zod: "node_modules/zod/index.js",
}

function withSources(content: string): string {
  return content.replaceAll(/from "([a-z][^"]*)"/g, (whole, name: string) => {
    const path = installed[name]
    return path === undefined ? whole : `from "${pathToFileURL(join(root, path)).href}"`
  })
}

/** Neither has fingerprints or batches, so two rules have nothing to say about them. */
const passed = `# pass ${conformanceRules.length - 2}`

const run = promisify(execFile)
const nodeTest = async (cwd: string, file: string, ...more: readonly string[]) => {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const args = ["--test", "--test-reporter=tap", ...more, file]
  const { stdout } = await run(process.execPath, args, { cwd, env, timeout: 50_000 })
  return stdout
}

const outputOf = (error: unknown): string => String(Reflect.get(Object(error), "stdout"))

it("a new provider passes the conformance suite as written, and not when it is wrong", async () => {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-template-"))
  try {
    for (const { path, content } of providerTemplate("dns-record")) {
      await writeFile(join(folder, path), withSources(content))
    }
    const output = await nodeTest(folder, "dns-record.test.ts")
    expect(output).toContain(passed)
    expect(output).toContain("# fail 0")
    // What its brief asks for: the test must be able to fail.
    const path = join(folder, "dns-record.ts")
    const good = await readFile(path, "utf8")
    await writeFile(path, good.replace("if (status === 404) return", "if (status !== 200) return"))
    const only = ["--test-name-pattern", "absent-is-not-unknown"]
    const red = await nodeTest(folder, "dns-record.test.ts", ...only).catch(outputOf)
    expect(red).toContain("# fail 1")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it("the example's own test passes with node's test runner", async () => {
  const output = await nodeTest(join(root, "examples/10-own-provider"), "note.test.ts")
  expect(output).toContain(passed)
})
