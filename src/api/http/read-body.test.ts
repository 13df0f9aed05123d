import { Socket } from "node:net"
import { Readable } from "node:stream"
import { describe, expect, it } from "vitest"
import { WireWriter } from "../protobuf/wire-writer.ts"
import { bodyBytesMax } from "./body-limit.ts"
import type { ApiRequest } from "./exchange.ts"
import { bodyType, readBody, readRequestBody } from "./read-body.ts"

/** Only what the reader looks at: the headers and the bytes, in as many pieces as given. */
function request(type: string | undefined, ...pieces: (string | Uint8Array)[]): ApiRequest {
  const headers = type === undefined ? {} : { "content-type": type }
  const body = Readable.from(pieces.map((piece) => Buffer.from(piece)))
  const rest = { headers, rawHeaders: [], complete: true, httpVersionMajor: 1 }
  return Object.assign(body, rest, { socket: new Socket() })
}

const protobuf = "application/vnd.kubernetes.protobuf"

function options(policy: string): Uint8Array {
  const unknown = new WireWriter()
    .message(1, (names) => names.string(1, "v1").string(2, "DeleteOptions"))
    .message(2, (message) => message.string(4, policy))
  return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), unknown.finish()])
}

describe("a request's body", () => {
  it("is taken as its content type says, and as JSON when nothing is said", async () => {
    expect(await readBody(request(undefined, '{"a"', ":1}"))).toEqual({ a: 1 })
    expect(await readBody(request("application/json; charset=utf-8", '{"a":1}'))).toEqual({ a: 1 })
    expect(await readBody(request("application/yaml", "a: yes\n"))).toEqual({ a: true })
    expect(await readBody(request("application/apply-patch+yaml", "a: 0x10\n"))).toEqual({ a: 16 })
    expect(await readBody(request(protobuf, options("Orphan")))).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Orphan",
    })
    expect(await readBody(request("application/json"))).toBeUndefined()
  })

  it("says which type it is, and lists what is accepted when it is none of them", () => {
    const known: [string | undefined, string][] = [
      [undefined, "json"],
      ["application/yaml", "json"],
      [protobuf, "json"],
      ["application/merge-patch+json", "merge"],
      ["application/json-patch+json", "jsonPatch"],
      ["application/strategic-merge-patch+json", "strategic"],
      ["Application/Apply-Patch+YAML", "apply"],
    ]
    for (const [type, expected] of known) expect(bodyType(request(type))).toBe(expected)
    for (const type of ["text/plain", "application/apply-patch+cbor", "constructor"]) {
      expect(() => bodyType(request(type))).toThrow(
        /accepted media types include application\/json, application\/yaml/,
      )
    }
  })

  it("names duplicate keys for whoever decides about them; all others refuse them", async () => {
    const json = '{"spec":{"color":"red","color":"blue"}}'
    expect(await readRequestBody(request("application/json", json))).toEqual({
      value: { spec: { color: "blue" } },
      duplicates: ["spec.color"],
    })
    await expect(readBody(request("application/json", json))).rejects.toThrow(/spec\.color/)
    const yaml = "spec:\n  color: red\n  color: blue\n"
    expect(await readRequestBody(request("application/yaml", yaml))).toEqual({
      value: { spec: { color: "blue" } },
      duplicates: ["spec.color"],
    })
  })

  it("is refused when it is too large, not UTF-8, or no protobuf although it says so", async () => {
    const large = Buffer.alloc(bodyBytesMax + 1, 32)
    await expect(readBody(request("application/json", large))).rejects.toMatchObject({
      status: 413,
    })
    const broken = request("application/yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff]))
    await expect(readBody(broken)).rejects.toThrow(/not UTF-8/)
    await expect(readBody(request(protobuf, "{}"))).rejects.toMatchObject({ status: 400 })
  })
})
