// The rules of this repository as tests. Each prints every place that breaks it.

import { describe, expect, it } from "vitest"
import { errorsPage, errorsPath } from "../../scripts/errors-page.ts"
import { ambientCalls, constructs, lengths, names, openings, pageMarkup } from "./code-rules.ts"
import { circles, importOrder, unusedFiles } from "./imports.ts"
import { protectionSites, protectionTwins } from "./protection-rules.ts"
import { type Finding, findingText, readRepository } from "./repository.ts"
import { dependencies, faultCodes, foreignTraces, lockfile, readmes } from "./repository-rules.ts"
import { actingWorld } from "./world-rules.ts"

const files = readRepository()
const clean = (findings: readonly Finding[]) => expect(findings.map(findingText)).toEqual([])

describe("the repository is tidy", () => {
  it("imports go down the order of the folders", () => clean(importOrder(files)))
  it("no file imports itself through others", () => clean(circles(files)))
  it("every source file is used", () => clean(unusedFiles(files)))
  it("nothing but the actuator can act on the world", () => clean(actingWorld(files)))
  it("ambient calls live in named adapters", () => clean(ambientCalls(files)))
  it("no any, no default export, no double cast", () => clean(constructs(files)))
  it("files, functions and lines are short", () => clean(lengths(files)))
  it("file names say something", () => clean(names(files)))
  it("source files start with what they are for", () => clean(openings(files)))
  it("pages show text, and ask no other host", () => clean(pageMarkup(files)))
  it("every source folder has a short README", () => clean(readmes(files)))
  it("fault codes are unique, defined in one place and used", () => clean(faultCodes(files)))
  it("protections are asked where they act and disarmed by tests alone", () =>
    clean(protectionSites(files)))
  it("every protection has a twin", () => clean(protectionTwins(files)))
  it("runtime dependencies are decided", () => clean(dependencies(files)))
  it("nothing of a machine or a registry is left", () => clean(foreignTraces(files)))
  it("the lockfile names no hosts", () => clean(lockfile(files)))

  it("the page of error codes is up to date (npm run reference writes it)", async () => {
    const page = files.find((file) => file.path === errorsPath)
    expect(page?.text).toBe(await errorsPage())
  })
})
