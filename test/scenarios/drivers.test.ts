// Gate: no kind with targets of its own is left out of the scenario suite, and what a provider has
// to bring to it stays small.

import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { documentedKinds } from "../../scripts/documented-kinds.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const linesMax = 80

/** Each with its reason. */
const exempt: Readonly<Record<string, string>> = {
  SystemdUnit: "a preview: no systemd runs where tests do",
  Package: "a preview: it is only looked at",
  DnsZone: "it says where a zone is and has no target of its own",
}

const drivers = globSync("src/providers/*/testing/*-driver.ts", { cwd: root })
const textOf = (path: string) => readFileSync(`${root}${path}`, "utf8")

it("every kind with targets has a driver, or a reason", () => {
  const kinds = documentedKinds.filter((kind) => !("compose" in kind)).map(({ kind }) => kind)
  const tried = drivers.map((path) => /\bkind: "(\w+)"/.exec(textOf(path))?.[1])
  const left = kinds.filter((kind) => !tried.includes(kind))
  expect(left.sort()).toEqual(Object.keys(exempt).sort())
})

it("every driver is played", () => {
  const tests = globSync("test/scenarios/*.test.ts", { cwd: root }).map(textOf).join("\n")
  expect(drivers.filter((path) => !tests.includes(`../../${path}"`))).toEqual([])
})

it(`no driver has more than ${linesMax} lines`, () => {
  const all = [...drivers, "test/scenarios/note-driver.ts"]
  expect(all.length).toBeGreaterThan(9)
  expect(all.filter((path) => textOf(path).trimEnd().split("\n").length > linesMax)).toEqual([])
})
