// Requests about Secrets that are refused with a value at hand: bodies that no reader can read, and
// readable ones that rules, versions, policies or webhooks refuse. Each has a name for its answer.

import { WireWriter } from "../../../src/api/protobuf/wire-writer.ts"
import type { JsonObject } from "../../../src/base/json.ts"

export interface Refused {
  readonly name: string
  readonly method: "PATCH" | "POST" | "PUT"
  /** Below /api/v1/namespaces/default. */
  readonly path: string
  readonly type: string
  readonly body: string | Buffer
  /** What refuses it. */
  readonly status: number
}

const json = "application/json"
const yaml = "application/yaml"
const protobuf = "application/vnd.kubernetes.protobuf"
const head = "apiVersion: v1\nkind: Secret\nmetadata: {name: bad}\nstringData:\n  a: "

const posted = (name: string, type: string, body: string | Buffer, status = 400): Refused => ({
  ...{ name, method: "POST", path: "secrets", type, body, status },
})

/** As clients written in Go send it. */
function inProtobuf(name: string, value: string): Buffer {
  const entry = (message: WireWriter) => message.string(1, "a").string(2, value)
  const secret = new WireWriter().message(1, (meta) => meta.string(1, name)).message(4, entry)
  const envelope = new WireWriter()
    .message(1, (names) => names.string(1, "v1").string(2, "Secret"))
    .bytes(2, secret.finish())
  return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), envelope.finish()])
}

/** Bodies that can't be read, in each of the three forms. */
export function unreadable(value: string): Refused[] {
  const begun = '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"bad"},"stringData":{"a":'
  const texts = [value, `"${value}" "${value}"}}`, `"${value}`, `"${value}\\q"}}`, `"x"}} ${value}`]
  const plain = [">", "|", "!", "&", "*", "@", '"', "'", '"\\', "[", "{a: ", "- x\n ", "x: y\n x: "]
  const whole = inProtobuf("bad", value)
  return [
    ...texts.map((text, at) => posted(`JSON ${at}`, json, begun + text)),
    ...plain.map((sign) => posted(`YAML ${sign}`, yaml, `${head}${sign}${value}\n`)),
    posted("YAML twice", yaml, `${head}x\n---\n${head}${value}\n`),
    posted("YAML merge key", yaml, `${head}x\n  <<: {b: ${value}}\n`),
    posted("YAML number", yaml, `${head}.inf\n  b: ${value}\n`),
    posted("protobuf cut", protobuf, whole.subarray(0, whole.length - 3)),
    posted("protobuf garbage", protobuf, Buffer.concat([whole.subarray(0, 4), Buffer.from(value)])),
    posted("protobuf called JSON", json, whole),
    posted("another type", "text/plain", value, 415),
  ]
}

/** Bodies that can be read and are not taken; `made` exists and holds another value. */
export function unwelcome(value: string): Refused[] {
  const encoded = Buffer.from(value).toString("base64")
  const of = (more: JsonObject, name = "bad") =>
    JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name }, ...more })
  const strict = "secrets?fieldValidation=Strict"
  const twice = of({ stringData: { a: value } }).replace('"a":', `"a":"${value}","a":`)
  const made = (name: string, type: string, body: unknown, status: number): Refused => ({
    ...{ name, method: "PATCH", path: "secrets/made", type, status },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
  const operations = (...list: readonly object[]) => list
  const jsonPatch = "application/json-patch+json"
  const merge = "application/merge-patch+json"
  const apply = "application/apply-patch+yaml"
  const login = JSON.stringify({ auths: { "example.dev": { auth: value } } })
  return [
    { ...posted("strict field", json, of({ extra: value })), path: strict },
    { ...posted("strict twice", json, twice), path: strict },
    posted("no base64", json, of({ data: { a: `${value}@` } })),
    posted("a map for a value", json, of({ data: { a: { b: value } } }), 422),
    posted("a list for a value", json, of({ stringData: { a: [value] } }), 422),
    posted("a list for values", json, of({ stringData: [value] }), 422),
    posted("a text for values", json, of({ data: value }), 422),
    posted("a text for a flag", json, of({ immutable: value, data: { a: encoded } }), 422),
    posted("keys of its type", json, of({ type: "kubernetes.io/tls", data: { a: encoded } }), 422),
    posted(
      "JSON of its type",
      json,
      of({ type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": encoded } }),
      422,
    ),
    posted("file of its type", json, of({ type: "kubernetes.io/dockercfg", data: { a: login } })),
    posted("a key", json, of({ stringData: { "not a key": value } }), 422),
    posted("its name", json, of({ stringData: { a: value } }, "Not A Name"), 422),
    posted("it exists", json, of({ stringData: { a: value } }, "made"), 409),
    posted("another kind", json, of({ kind: "Secrets", stringData: { a: value } })),
    made("its type", merge, { type: "other", stringData: { a: value } }, 422),
    made("an older one", merge, { metadata: { resourceVersion: "1" }, data: { a: encoded } }, 409),
    made("test", jsonPatch, operations({ op: "test", path: "/data/a", value: encoded }), 422),
    made("no place", jsonPatch, operations({ op: "add", path: "/x/y", value: encoded }), 422),
    made("no patch", jsonPatch, { data: { a: encoded } }, 400),
    made("a patch of lists", merge, [value], 400),
    made("apply", apply, `${head}>${value}\n`, 400),
    {
      ...made("apply conflict", apply, of({ data: { a: encoded } }, "made"), 409),
      path: "secrets/made?fieldManager=else",
    },
    made("strategic", "application/strategic-merge-patch+json", { data: [value] }, 422),
  ]
}
