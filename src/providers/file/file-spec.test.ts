import { expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { specSchemaOf } from "../../provider/spec-schema.ts"
import { compileSchema } from "../../schema/compile-schema.ts"
import { issueText } from "../../schema/issue.ts"
import { fileKinds } from "./file-kinds.ts"

const [file, directory] = fileKinds({ roots: ["/"], forbidden: [] }).map((kind) =>
  compileSchema(specSchemaOf(kind), "value"),
)

const problems = (schema: typeof file, spec: JsonObject) =>
  (schema?.validate(schema.applyDefaults(spec)) ?? []).map(issueText)

test.each<JsonObject>([
  { path: "/etc/motd", content: "hi" },
  { path: "/etc/motd", contentBase64: "aGk=", mode: "4755", owner: "www-data", group: "0" },
  { path: "/a/..b/.c/d..", symlink: "../x" },
  { path: "/a", content: "", root: "/" },
  { path: "/new\nline", content: "", root: "/a" },
])("the schema accepts %j", (spec) => {
  expect(problems(file, spec)).toEqual([])
})

test.each<[string, JsonObject]>([
  ["no body", { path: "/a" }],
  ["two bodies", { path: "/a", content: "x", symlink: "y" }],
  ["no path", { content: "x" }],
  ["a relative path", { path: "a", content: "x" }],
  ["dots in the path", { path: "/a/../b", content: "x" }],
  ["a trailing slash", { path: "/a/", content: "x" }],
  ["NUL in the path", { path: "/a\0", content: "x" }],
  ["the root as the path", { path: "/", content: "x" }],
  ["a mode that YAML made a number", { path: "/a", content: "x", mode: 420 }],
  ["a mode with three digits", { path: "/a", content: "x", mode: "644" }],
  ["a mode that is not octal", { path: "/a", content: "x", mode: "0899" }],
  ["an owner with a colon", { path: "/a", content: "x", owner: "a:b" }],
  ["more than 1 MiB", { path: "/a", content: "x".repeat(1_048_577) }],
  ["base64 that is none", { path: "/a", contentBase64: "a b" }],
  ["an empty link", { path: "/a", symlink: "" }],
])("the schema refuses %s", (_, spec) => {
  expect(problems(file, spec)).not.toEqual([])
})

test("modes have their defaults", () => {
  expect(file?.applyDefaults({ path: "/a", content: "" })).toMatchObject({ mode: "0644" })
  expect(directory?.applyDefaults({ path: "/a" })).toMatchObject({ mode: "0755" })
  expect(problems(directory, { path: "/a", purge: true })).toEqual([])
  expect(problems(directory, { path: "/a", purge: "yes" })).not.toEqual([])
})
