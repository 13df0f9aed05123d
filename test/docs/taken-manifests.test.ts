// A real plane takes every manifest that a document shows: its own API, schemas, rules and
// admission look at it, in a dry run, so that no example gets in another one's way.

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DocsShell } from "./docs-shell.ts"
import { blocksOf, documents } from "./pages.ts"

/** Those with a file's name are part of what commands.test.ts runs. */
const manifests = documents()
  .filter(({ path }) => path === "README.md" || path.startsWith("docs/"))
  .filter(({ path }) => !path.startsWith("docs/decisions/"))
  .flatMap(blocksOf)
  .filter(({ language, marker }) => language === "yaml" && marker === "")

describe("manifests in documents", { timeout: 400_000 }, () => {
  const shell = new DocsShell()
  beforeAll(async () => {
    const ready = { command: "setpoint serve --port 0", expected: ["look   setpoint status"] }
    expect(await shell.step({ ...ready, background: true })).toBeUndefined()
  })
  afterAll(() => shell.close())

  it("are taken by a plane", async () => {
    expect(manifests.length).toBeGreaterThan(20)
    const files = manifests.map(({ page, line, text }) => {
      const name = `${page.replaceAll("/", "-")}-${line}.yaml`
      shell.write(name, text)
      return `-f ${name}`
    })
    const { code, output } = await shell.run(`setpoint apply --dry-run ${files.join(" ")}`)
    expect([code, code === 0 ? "" : output]).toEqual([0, ""])
  })

  it("would be refused if they were wrong", async () => {
    const wrong = "apiVersion: setpoint.dev/v1alpha1\nkind: Loop\nmetadata: {name: a}\n"
    shell.write("shown.yaml", `${wrong}spec: {mode: Enfroce}\n`)
    const { code, output } = await shell.run("setpoint apply -f shown.yaml --dry-run")
    expect([code, output.includes("Enfroce")]).toEqual([1, true])
  })
})
