// What may be asked of a list or a watch, in the words of Kubernetes; and where a list goes on that
// took too long. What is asserted here was seen on a kube-apiserver.

import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { alice, configMap, configMaps } from "../../../test/conformance/client-world.ts"
import { type HttpWorld, memo, memos, openHttpWorld } from "../../../test/conformance/http-world.ts"

const path = "/api/v1/namespaces/default/configmaps"

let http: HttpWorld
beforeEach(async () => {
  http = await openHttpWorld()
})
afterEach(() => http.close())

const make = (name: string, data: Record<string, string> = {}) =>
  http.world.verbs.create(alice, configMaps, configMap(name, data))

describe("a watch that wants no state", () => {
  it("begins now, also where the past is gone", async () => {
    await make("before")
    await http.world.store.compact(http.world.store.revision)
    const quiet = "watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
    for (const [index, revision] of ["", "&resourceVersion=", "&resourceVersion=0"].entries()) {
      const events = http.events(`${path}?${quiet}${revision}&timeoutSeconds=2`, 1)
      // Until the watch is open, what is made is not seen: so make until something is.
      let seen = false
      const making = (async () => {
        for (let at = 0; !seen; at++) {
          await make(`now-${index}-${at}`)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      })()
      const [first] = await events
      seen = true
      await making
      const name = expect.stringMatching(new RegExp(`^now-${index}-`))
      expect(first).toMatchObject({ type: "ADDED", object: { metadata: { name } } })
    }
  })
})

describe("the old prefix of a watch", () => {
  it("is a watch of a collection, or of one object", async () => {
    for (const name of ["a", "b"]) await make(name)
    const names = async (target: string, count: number) => {
      const events = await http.events(`/api/v1/watch/${target}`, count)
      return events.map((event) => {
        const { type, object } = event as { type: string; object: { metadata: { name: string } } }
        return `${type} ${object.metadata.name}`
      })
    }
    expect(await names("configmaps", 2)).toEqual(["ADDED a", "ADDED b"])
    expect(await names("namespaces/default/configmaps?watch=false", 2)).toHaveLength(2)
    const one = "namespaces/default/configmaps/b?timeoutSeconds=1"
    expect(await names(one, 2)).toEqual(["ADDED b"])
    expect(await names(`${one}&fieldSelector=metadata.namespace%3Ddefault`, 1)).toHaveLength(1)
    expect(await names(`${one}&fieldSelector=metadata.name%3Da`, 1)).toEqual([])
  })

  it("is nothing else", async () => {
    await make("a")
    const old = "/api/v1/watch/namespaces/default/configmaps"
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const target of [old, `${old}/a`]) {
        expect((await http.send(method, target)).body).toMatchObject({ code: 405 })
      }
    }
    expect(await http.get(`${old}/a/status`)).toMatchObject({ status: 404 })
    expect(await http.get("/api/v1/watch/nothings")).toMatchObject({ status: 404 })
    expect(await http.get(`${path}/a`)).toMatchObject({ status: 200 })
  })
})

describe("a field selector", () => {
  it("finds values with commas, equals signs and backslashes", async () => {
    for (const [name, text] of Object.entries({ a: "x,y", b: "x=y", c: "x\\y", d: " x" })) {
      await http.world.verbs.create(alice, memos, memo(name, text))
    }
    const found = async (fieldSelector: string) => {
      const query = new URLSearchParams({ fieldSelector })
      const { body, status } = await http.get(`/apis/test.dev/v1/memos?${query}`)
      const items = (body.items ?? []) as readonly { metadata: { name: string } }[]
      return status === 200 ? items.map(({ metadata }) => metadata.name).join() : status
    }
    expect(await found("spec.text=x\\,y")).toBe("a")
    expect(await found("spec.text=x\\=y")).toBe("b")
    expect(await found("spec.text==x\\\\y")).toBe("c")
    expect(await found("spec.text= x")).toBe("d")
    expect(await found("spec.text!=x\\,y,metadata.name!=d")).toBe("b,c")
    expect(await found("spec.text=x,y")).toBe(400)
    expect(await found("spec.text=x=y")).toBe(400)
    expect(await found("spec.text=x\\y")).toBe(400)
  })
})

describe("options of a list", () => {
  const forbidden = (field: string, what: string) => [
    { field, reason: "FieldValueForbidden", message: `Forbidden: ${what}` },
  ]
  const match = "resourceVersionMatch"
  const rules: readonly (readonly [string, readonly object[]])[] = [
    [
      `${match}=Exact`,
      forbidden(match, `${match} is forbidden unless resourceVersion is provided`),
    ],
    [
      `${match}=NotOlderThan`,
      forbidden(match, `${match} is forbidden unless resourceVersion is provided`),
    ],
    [
      `${match}=Exact&resourceVersion=0`,
      forbidden(match, `${match} "exact" is forbidden for resourceVersion "0"`),
    ],
    [
      `${match}=Exact&resourceVersion=5&continue=TOKEN`,
      forbidden(match, `${match} is forbidden when continue is provided`),
    ],
    [
      `${match}=Later&resourceVersion=5`,
      [
        {
          ...{ field: match, reason: "FieldValueNotSupported" },
          message: 'Unsupported value: "Later": supported values: "Exact", "NotOlderThan", ""',
        },
      ],
    ],
    [
      "sendInitialEvents=true",
      forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"),
    ],
    [
      "watch=1&sendInitialEvents=true",
      forbidden(match, `sendInitialEvents requires setting ${match} to NotOlderThan`),
    ],
    [
      "watch=1&sendInitialEvents=false",
      forbidden(match, `sendInitialEvents requires setting ${match} to NotOlderThan`),
    ],
    [
      `watch=1&${match}=NotOlderThan&resourceVersion=5`,
      forbidden(match, `${match} is forbidden for watch unless sendInitialEvents is provided`),
    ],
  ]

  it("that make no sense are named in the words of Kubernetes", async () => {
    for (const name of ["a", "b"]) await make(name)
    const { metadata } = (await http.get(`${path}?limit=1`)).body
    const { continue: token } = metadata as { continue: string }
    for (const [query, causes] of rules) {
      const { status, body } = await http.get(`${path}?${query.replace("TOKEN", token)}`)
      const [{ field, message }] = causes as [{ field: string; message: string }]
      expect([query, status, body]).toEqual([
        query,
        422,
        {
          ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 422 },
          message: `ListOptions.meta.k8s.io "" is invalid: ${field}: ${message}`,
          reason: "Invalid",
          details: expect.objectContaining({ group: "meta.k8s.io", kind: "ListOptions", causes }),
        },
      ])
    }
  })

  it("that can't be read are bad requests", async () => {
    const wrong = ["limit=-1", "limit=x", "resourceVersion=x", "resourceVersion=-1", "continue=x"]
    for (const query of [...wrong, "timeoutSeconds=x", "watch=1&resourceVersion=x"]) {
      const { status, body } = await http.get(`${path}?${query}`)
      expect([query, status, body.reason]).toEqual([query, 400, "BadRequest"])
    }
  })

  it("may name a revision to be as new as, or the one to show", async () => {
    await make("a")
    const { metadata } = (await http.get(path)).body
    const { resourceVersion } = metadata as { resourceVersion: string }
    await make("b")
    const shown = async (query: string) => {
      const { body } = await http.get(`${path}?resourceVersion=${resourceVersion}${query}`)
      return (body.items as readonly unknown[]).length
    }
    expect(await shown("")).toBe(2)
    expect(await shown("&resourceVersionMatch=NotOlderThan")).toBe(2)
    expect(await shown("&resourceVersionMatch=NotOlderThan&limit=5")).toBe(2)
    expect(await shown("&resourceVersionMatch=Exact")).toBe(1)
    // What old clients mean by it, who page through a list that they began elsewhere.
    expect(await shown("&limit=5")).toBe(1)
  })

  it("may not name a revision that is not there yet: 504, with a cause and a time", async () => {
    const newest = http.world.store.revision
    for (const query of ["", "&resourceVersionMatch=NotOlderThan", "&limit=1"]) {
      const { status, headers, body } = await http.get(`${path}?resourceVersion=99999999${query}`)
      expect([query, status, headers["retry-after"]]).toEqual([query, 504, "1"])
      expect(body).toMatchObject({
        reason: "Timeout",
        message: `Timeout: Too large resource version: 99999999, current: ${newest}`,
        details: {
          causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
          retryAfterSeconds: 1,
        },
      })
    }
  })
})

describe("a list that took too long", () => {
  it("goes on from where it was with the token of its refusal, and repeats nothing", async () => {
    for (const name of ["a", "b", "c", "d"]) await make(name)
    const page = async (query: string) => {
      const { status, body } = await http.get(`${path}?limit=2${query}`)
      const items = (body.items ?? []) as readonly { metadata: { name: string } }[]
      const metadata = body.metadata as { continue?: string; resourceVersion?: string }
      return { status, body, metadata, names: items.map((item) => item.metadata.name) }
    }
    const first = await page("")
    expect(first.names).toEqual(["a", "b"])
    await make("aa")
    await make("e")
    await http.world.verbs.delete(alice, { ...configMaps, namespace: "default", name: "c" })
    await http.world.store.compact(http.world.store.revision)
    const refused = await page(`&continue=${first.metadata.continue}`)
    expect(refused).toMatchObject({
      status: 410,
      body: {
        ...{ kind: "Status", status: "Failure", reason: "Expired", code: 410 },
        message: expect.stringMatching(/^The provided continue parameter is too old /),
        metadata: { continue: expect.any(String) },
      },
    })
    const rest = await page(`&continue=${refused.metadata.continue}`)
    expect(rest.names).toEqual(["d", "e"])
    expect(rest.metadata).toEqual({ resourceVersion: String(http.world.store.revision) })
  })

  it("has no such token where it had not begun", async () => {
    await make("a")
    const { metadata } = (await http.get(path)).body
    const { resourceVersion } = metadata as { resourceVersion: string }
    await make("b")
    await http.world.store.compact(http.world.store.revision)
    const exactly = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`
    const { status, body } = await http.get(`${path}?${exactly}`)
    expect([status, body.reason, body.metadata]).toEqual([410, "Expired", {}])
  })
})

describe("gzip", () => {
  const packed = (headers: Record<string, string>, query = "") =>
    http.send("GET", `${path}${query}`, { headers })
  const gzip = { "accept-encoding": "gzip" }

  it("is for answers of 128 KiB and more, and for who understands it", async () => {
    await make("small", { text: "x".repeat(100_000) })
    expect((await packed(gzip)).headers).not.toHaveProperty("content-encoding")
    await make("more", { text: "x".repeat(40_000) })
    const plain = await packed({})
    expect(plain.headers).not.toHaveProperty("content-encoding")
    const small = await packed(gzip)
    expect(small.headers).toMatchObject({
      ...{ "content-encoding": "gzip", vary: "Accept-Encoding" },
      "content-length": String(small.bytes.byteLength),
    })
    expect(small.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 10)
    expect(small.body).toEqual(plain.body)
  })

  it("is never for a watch", async () => {
    await make("large", { text: "x".repeat(200_000) })
    const reply = packed(gzip, "?watch=1&timeoutSeconds=1")
    const { headers, bytes } = await reply
    expect(headers).not.toHaveProperty("content-encoding")
    expect(bytes.byteLength).toBeGreaterThan(200_000)
  })
})
