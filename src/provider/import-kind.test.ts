// Manifests from what exists: stable names that never collide, and no secret value in any of them.

import fc from "fast-check"
import { afterEach, expect, it } from "vitest"
import { z } from "zod"
import { disarm } from "../base/protections.ts"
import type { Found } from "../contract/importer.ts"
import { absent } from "../contract/observation.ts"
import type { ObserveContext } from "../contract/provider.ts"
import { defineKind } from "./define-kind.ts"
import { canImport, importKind } from "./import-kind.ts"
import { objectNameOf } from "./import-names.ts"
import { ref } from "./ref.ts"
import { secret } from "./schema-marks.ts"

const rearm: (() => void)[] = []
afterEach(() => {
  for (const arm of rearm.splice(0)) arm()
})

const nothing = async () => ({ kind: "done" }) as const

const account = (found: readonly Found[]) =>
  defineKind({
    ...{ group: "accounts.example.com", version: "v1", kind: "Account" },
    spec: z.strictObject({
      name: z.string(),
      password: ref(secret(z.string())).optional(),
      keys: z.strictObject({ pin: secret(z.string()).optional() }).optional(),
    }),
    identity: ({ name }) => name,
    observe: async () => absent("nobody is here"),
    ...{ create: nothing, update: nothing, delete: nothing },
    importer: {
      options: { host: { description: "whose accounts", required: true } },
      find: async () => ({ found, skipped: [] }),
    },
  })

/** Nothing here reads the world. */
const context = { signal: new AbortController().signal } as ObserveContext
const ann: Found = {
  name: "ann",
  spec: { name: "ann", password: "hunter2", keys: { pin: "1234" } },
}

it("names a Secret instead of a secret value, and says which values it left out", async () => {
  const { objects, skipped } = await importKind(account([ann]), { host: "h" }, context)
  expect(objects).toEqual([
    {
      ...{ apiVersion: "accounts.example.com/v1", kind: "Account", metadata: { name: "ann" } },
      spec: {
        ...{ name: "ann", keys: {}, adopt: true },
        passwordFrom: { kind: "Secret", name: "ann-password", field: "data.password" },
      },
    },
  ])
  expect(skipped.map(({ why }) => why)).toEqual([
    "the value of keys.pin is secret; put it into a Secret and refer to it",
  ])
})

it("would print secrets without that protection", async () => {
  rearm.push(disarm("imports-hold-no-secrets"))
  const { objects } = await importKind(account([ann]), { host: "h" }, context)
  expect(JSON.stringify(objects)).toContain("hunter2")
})

it("asks for the scope that a kind needs", async () => {
  const kind = account([])
  expect(canImport(kind, {})).toBe(false)
  await expect(importKind(kind, {}, context)).rejects.toMatchObject({ code: "SPT-PROV-040" })
})

it("names things so that no two have one name, whatever they are called", () => {
  const piece = fc.constantFrom("a", "B", "-", "--", "/", ".", "..", " ", "ä", "0", "_", "\u0301")
  const name = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""))
  fc.assert(
    fc.property(name, name, (left, right) => {
      const made = objectNameOf(left)
      expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
      if (left !== right) expect(objectNameOf(right)).not.toBe(made)
    }),
    { numRuns: 3000 },
  )
})
