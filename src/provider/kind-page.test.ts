import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { note } from "../../examples/10-own-provider/note.ts"
import { absent } from "../contract/observation.ts"
import { defineKind } from "./define-kind.ts"
import { kindPage } from "./kind-page.ts"
import { ref } from "./ref.ts"
import { listMap, secret } from "./schema-marks.ts"

const done = async () => ({ kind: "done" }) as const
const kind = defineKind({
  group: "things.example.com",
  version: "v1",
  kind: "Gate",
  description: "A gate in the fence.",
  scope: "Cluster",
  spec: z.strictObject({
    name: z.string().describe("Its name | sign."),
    host: ref(z.string()),
    mode: z.enum(["open", "shut"]).default("shut"),
    key: secret(z.string()).optional(),
    users: listMap(z.strictObject({ id: z.string(), level: z.int().min(2) }), ["id"]),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  replaceOn: ["name"],
  identity: ({ name }) => name,
  observe: async () => absent("none"),
  create: done,
  update: done,
  delete: done,
})

describe("a kind's page", () => {
  it("lists every field with type, default and meaning", () => {
    const page = kindPage(kind)
    expect(page).toContain(
      "# Gate\n\nA gate in the fence.\n\n`things.example.com/v1`, cluster-scoped",
    )
    expect(page).toContain("| `name` | string | yes |  | Its name \\| sign. |")
    expect(page).toContain('| `mode` | string: `open`, `shut` |  | `"shut"` |  |')
    expect(page).toContain("| `users[].level` | integer | yes |  |  |")
    expect(page).toContain("| `labels` | map of string |  |  |  |")
    expect(page).toContain("| `adopt` | boolean |")
    expect(page).toContain("- A change of `name` replaces the target.")
    expect(page).toContain("keyed hash: `key`")
    expect(page).toContain("- `hostFrom` instead of `host`")
    expect(page).not.toContain("hostFrom.kind")
  })

  it("ends with a manifest that has everything that is required", () => {
    const text = /```yaml\n([\s\S]*)```/.exec(kindPage(kind))?.[1] ?? ""
    expect(parse(text)).toEqual({
      apiVersion: "things.example.com/v1",
      kind: "Gate",
      metadata: { name: "example" },
      spec: { name: "name", host: "host", users: [{ id: "id", level: 2 }] },
    })
    expect(kindPage(note)).toContain("api: https://example.com")
  })
})
