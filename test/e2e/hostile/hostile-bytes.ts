// Requests that are too large, too deep, cut in two ways, or not meant for what is there. Each says
// which answers are right; "" is a connection that was ended without one.

import type { HostileRig } from "./hostile-rig.ts"

export interface Hostile {
  readonly name: string
  readonly bytes: (rig: HostileRig) => string | Buffer | readonly string[]
  /** Of the first line; refused when not told. */
  readonly answer?: RegExp
}

const home = "/api/v1/namespaces/open/configmaps"
const refused = /^(HTTP\/1\.1 4\d\d |$)/
export const isRefused = refused

const post = (name: string, body: string, type = "application/json"): Hostile => ({
  name,
  bytes: (rig) => rig.request("POST", home, body, type),
})

const object = (rest: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hostile"${rest}`

/** Ten levels of ten aliases each. */
function aliases(): string {
  const levels = Array.from({ length: 10 }, (_, level) => {
    const items = Array.from({ length: 10 }, () => (level === 0 ? '"x"' : `*a${level - 1}`))
    return `a${level}: &a${level} [${items.join(", ")}]`
  })
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hostile}\n${levels.join("\n")}\n`
}

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])
const protobuf = (rig: HostileRig, payload: Buffer): Buffer => {
  const body = Buffer.concat([magic, payload])
  const length = `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  const type = "Content-Type: application/vnd.kubernetes.protobuf\r\n"
  return Buffer.concat([Buffer.from(rig.head("POST", home, type + length)), body])
}
/** A message in a message in a message. */
function nested(levels: number): Buffer {
  let inner: Buffer = Buffer.alloc(0)
  for (let level = 0; level < levels && inner.length < 60_000; level++) {
    const size: number[] = []
    for (let left = inner.length; ; left >>= 7) {
      size.push(left > 127 ? (left & 127) | 128 : left)
      if (left <= 127) break
    }
    inner = Buffer.concat([Buffer.from([0x12, ...size]), inner])
  }
  return inner
}

const large: readonly Hostile[] = [
  { name: "a path of a megabyte", bytes: (rig) => rig.request("GET", `/${"a".repeat(1e6)}`) },
  {
    name: "a name of 20,000 characters",
    bytes: (rig) => rig.request("GET", `${home}/${"a".repeat(20_000)}`),
  },
  {
    name: "a header of a megabyte",
    bytes: (rig) => `${rig.head("GET", home, `X-A: ${"a".repeat(1e6)}\r\n`)}\r\n`,
  },
  {
    name: "fifty thousand headers",
    bytes: (rig) => `${rig.head("GET", home, "X-A: b\r\n".repeat(50_000))}\r\n`,
  },
  {
    name: "a body that says it has a gigabyte",
    bytes: (rig) => `${rig.head("POST", home, "Content-Length: 1073741824\r\n")}\r\n{`,
  },
  post("a body of four megabytes", object(`},"data":{"a":"${"x".repeat(4e6)}"}}`)),
  {
    name: "chunks that do not end",
    bytes: (rig) => [
      `${rig.head("POST", home, "Transfer-Encoding: chunked\r\n")}\r\n`,
      ...Array.from({ length: 80 }, () => `10000\r\n${"x".repeat(65_536)}\r\n`),
    ],
  },
  {
    name: "a label selector of 10,000 requirements",
    bytes: (rig) => rig.request("GET", `${home}?labelSelector=${"a,".repeat(10_000)}a`),
    answer: /^HTTP\/1\.1 (200|4\d\d) /,
  },
  {
    name: "a label selector with 10,000 values",
    bytes: (rig) => rig.request("GET", `${home}?labelSelector=a+in+(${"a,".repeat(10_000)}a)`),
    answer: /^HTTP\/1\.1 (200|4\d\d) /,
  },
  {
    name: "a field selector of 30,000 characters",
    bytes: (rig) => rig.request("GET", `${home}?fieldSelector=metadata.name=${"a".repeat(30_000)}`),
    answer: /^HTTP\/1\.1 (200|4\d\d) /,
  },
  {
    name: "five thousand parameters",
    bytes: (rig) => rig.request("GET", `${home}?${"a=b&".repeat(5000)}`),
    answer: /^HTTP\/1\.1 (200|4\d\d) /,
  },
  {
    name: "a continue token of 20,000 characters",
    bytes: (rig) => rig.request("GET", `${home}?limit=1&continue=${"a".repeat(20_000)}`),
  },
  {
    name: "a JSON patch of 10,001 operations",
    bytes: (rig) => {
      const one = '{"op":"test","path":"/kind","value":"ConfigMap"}'
      const body = `[${Array.from({ length: 10_001 }, () => one).join()}]`
      return rig.request("PATCH", `${home}/hostile`, body, "application/json-patch+json")
    },
  },
]

const deep: readonly Hostile[] = [
  post("lists in lists, 500,000 deep", "[".repeat(500_000)),
  post("maps in maps, 200,000 deep", `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`),
  post("labels in labels", object(`,"labels":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}`)),
  post("a number of a million digits", object(`},"data":{"a":${"9".repeat(1e6)}}}`)),
  post("aliases of aliases of aliases", aliases(), "application/yaml"),
  post("YAML lists in lists, 100,000 deep", `a: ${"[".repeat(100_000)}`, "application/yaml"),
  post("YAML that refers to itself", "a: &a [*a]\nb: *a\n", "application/yaml"),
  post("YAML with tags of code", "a: !!js/function 'function(){}'\n", "application/yaml"),
  post("bytes that are no UTF-8", object("\xff\xfe}}")),
  {
    name: "a protobuf length of 2^63",
    bytes: (rig) => {
      const length = Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
      return protobuf(rig, length)
    },
  },
  {
    name: "a protobuf number that does not end",
    bytes: (rig) => protobuf(rig, Buffer.alloc(100_000, 0xff)),
  },
  {
    name: "protobuf messages in messages",
    bytes: (rig) => protobuf(rig, nested(20_000)),
  },
]

const smuggled = (name: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"smuggled-${name}"}}`

/** A second request hidden in what one reader takes for the body of the first. */
function cut(name: string, headers: string, before: string): Hostile {
  return {
    name: `two ways to read: ${name}`,
    bytes: (rig) => {
      const inner = smuggled(name.replaceAll(/[^a-z]+/g, "-"))
      const length = `Content-Type: application/json\r\nContent-Length: ${inner.length}\r\n\r\n`
      const second = `${rig.head("POST", home, length)}${inner}`
      return `${rig.head("POST", home, headers)}\r\n${before}${second}`
    },
  }
}

const cuts: readonly Hostile[] = [
  cut("length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
  cut("chunks and length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
  cut("two lengths", "Content-Length: 0\r\nContent-Length: 5\r\n", ""),
  cut("a list of lengths", "Content-Length: 0, 5\r\n", ""),
  cut("two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"),
  cut("a coding with a tab", "Transfer-Encoding:\tchunked, x\r\n", "0\r\n\r\n"),
  cut("a coding that is none", "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
  cut("a size with a space", "Transfer-Encoding: chunked\r\n", "0 \x0b\r\n\r\n"),
  cut("a size too large", "Transfer-Encoding: chunked\r\n", "ffffffffffffffff0\r\n\r\n"),
  cut("a size that is text", "Transfer-Encoding: chunked\r\n", "zz\r\n\r\n"),
  cut("a negative length", "Content-Length: -1\r\n", ""),
  cut("a length in hex", "Content-Length: 0x0\r\n", ""),
  cut("a line end alone", "X-A: b\rContent-Length: 0\r\n", ""),
  cut("a name with a space", "Content-Length : 0\r\n", ""),
]

const methods: readonly Hostile[] = [
  "BREW",
  "get",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "M".repeat(9000),
].map((method) => ({
  name: `the verb ${method.slice(0, 12)}`,
  bytes: (rig: HostileRig) => rig.request(method, home),
}))

export const hostileBytes: readonly Hostile[] = [...large, ...deep, ...cuts, ...methods]
