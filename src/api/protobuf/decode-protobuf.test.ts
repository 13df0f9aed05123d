import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isFault } from "../../base/faults.ts"
import { canonicalJson } from "../../base/json.ts"
import { readJson } from "../read-json.ts"
import { decodeProtobuf } from "./decode-protobuf.ts"
import { messageOfKind, messageTable, protobufKinds } from "./message-tables.ts"
import { WireWriter } from "./wire-writer.ts"

interface Pair {
  readonly kind: string
  readonly protobuf: string
  /** What the Kubernetes library writes as JSON for the object it read from those bytes. */
  readonly json: string
}

const folder = new URL("../../../test/fixtures/protobuf/", import.meta.url)
const pairs = readdirSync(folder).flatMap((file): Pair[] => {
  return JSON.parse(readFileSync(new URL(file, folder), "utf8"))
})
const bytesOf = (pair: Pair) => Buffer.from(pair.protobuf, "base64")

function body(apiVersion: string, kind: string, write: (message: WireWriter) => void): Uint8Array {
  const unknown = new WireWriter()
    .message(1, (names) => names.string(1, apiVersion).string(2, kind))
    .message(2, write)
  return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), unknown.finish()])
}

describe("decodeProtobuf", () => {
  it("reads every kind as the Kubernetes library does, digit by digit", () => {
    expect(new Set(pairs.map((pair) => pair.kind))).toEqual(new Set(protobufKinds()))
    for (const pair of pairs) {
      expect(canonicalJson(decodeProtobuf(bytesOf(pair)))).toBe(canonicalJson(readJson(pair.json)))
    }
  })

  it("has a table for every message that another one names", () => {
    const seen = new Set<string>()
    const visit = (name: string) => {
      if (seen.has(name) || !name.includes(".")) return
      seen.add(name)
      const table = messageTable(name)
      expect(table, name).toBeDefined()
      for (const field of table?.fields ?? []) visit(field.type)
    }
    for (const kind of protobufKinds()) {
      const at = kind.lastIndexOf("/")
      visit(messageOfKind(kind.slice(0, at), kind.slice(at + 1)) ?? "missing.message")
    }
    expect(seen.size).toBeGreaterThan(400)
  })

  it("never crashes, hangs or answers with anything but a refusal on broken bytes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        fc.nat(),
        (pair, changes, cut) => {
          const bytes = bytesOf(pair)
          for (const [at, value] of changes) bytes[4 + (at % (bytes.length - 4))] = value
          const end = cut % 3 === 0 ? cut % bytes.length : bytes.length
          try {
            decodeProtobuf(bytes.subarray(0, end))
          } catch (error) {
            if (!isFault(error) || ![400, 413, 415].includes(error.status)) throw error
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it("keeps integers of 64 bits, also negative ones", () => {
    const read = (value: bigint) =>
      decodeProtobuf(body("v1", "ConfigMap", (map) => map.message(1, (meta) => meta.int(7, value))))
    expect(read(9007199254740993n)).toMatchObject({ metadata: { generation: 9007199254740993n } })
    expect(read(-(2n ** 63n))).toMatchObject({ metadata: { generation: -9223372036854775808n } })
    expect(read(7n)).toMatchObject({ metadata: { generation: 7 } })
  })

  it("merges the parts of a message that comes in two", () => {
    const bytes = body("v1", "ConfigMap", (map) =>
      map.message(1, (meta) => meta.string(1, "a")).message(1, (meta) => meta.string(3, "b")),
    )
    expect(decodeProtobuf(bytes)).toMatchObject({ metadata: { name: "a", namespace: "b" } })
  })

  it("takes delete options of whatever version, and a kind that only the path names", () => {
    const options = body("apps/v1", "DeleteOptions", (one) => one.string(4, "Background"))
    expect(decodeProtobuf(options)).toEqual({
      kind: "DeleteOptions",
      apiVersion: "apps/v1",
      propagationPolicy: "Background",
    })
    const bare = body("", "", (map) => map.message(1, (meta) => meta.string(1, "a")))
    expect(() => decodeProtobuf(bare)).toThrow(/does not name its apiVersion and kind/)
    expect(decodeProtobuf(bare, { apiVersion: "v1", kind: "ConfigMap" })).toMatchObject({
      kind: "ConfigMap",
      metadata: { name: "a" },
    })
  })

  it("refuses what has no protobuf form, and what is no protobuf", () => {
    const widget = body("example.org/v1", "Widget", (one) => one.string(1, "a"))
    expect(() => decodeProtobuf(widget)).toThrow(/only built-in kinds/)
    expect(() => decodeProtobuf(Buffer.from("{}"))).toThrow(/6b 38 73 00/)
    expect(() => decodeProtobuf(new Uint8Array())).toThrow(/6b 38 73 00/)
  })

  it("refuses keys that reach a prototype, and text that is not UTF-8", () => {
    const labelled = (key: string, value: Uint8Array) =>
      body("v1", "ConfigMap", (map) =>
        map.message(2, (entry) => entry.string(1, key).bytes(2, value)),
      )
    const ok = Buffer.from("x")
    expect(() => decodeProtobuf(labelled("__proto__", ok))).toThrow(/forbidden/)
    expect(() => decodeProtobuf(labelled("a", Buffer.from([0xff])))).toThrow(/not UTF-8/)
    expect(decodeProtobuf(labelled("a", ok))).toMatchObject({ data: { a: "x" } })
  })

  it("refuses nesting without end and bodies that unfold into too much", () => {
    let schema = new WireWriter()
    for (let depth = 0; depth < 200; depth++) {
      const inner = schema.finish()
      schema = new WireWriter().bytes(28, inner)
    }
    const deep = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", (crd) =>
      crd.message(2, (spec) =>
        spec.message(7, (version) =>
          version.message(4, (validation) => validation.bytes(1, schema.finish())),
        ),
      ),
    )
    expect(() => decodeProtobuf(deep)).toThrow(/nesting deeper than 64/)
    const containers = new WireWriter()
    for (let count = 0; count < 120_000; count++) containers.bytes(2, new Uint8Array())
    const wide = body("v1", "Pod", (pod) => pod.bytes(2, containers.finish()))
    expect(() => decodeProtobuf(wide)).toThrow(/more than 200000/)
  })
})
