// Generated sequences of requests: every verb, patch, option and mistake over ConfigMaps, Secrets,
// Namespaces and a definition. "{ns}" is the namespace of the sequence; "{rv things/a}", "{old
// things/a}" and "{uid things/a}" become what this server said of that object.

import fc from "fast-check"
import { mistakes } from "./mistaken-requests.ts"
import {
  apply,
  collection,
  json,
  kinds,
  maybe,
  merge,
  mostly,
  names,
  patch,
  type Request,
  type Resource,
  rarely,
  resources,
  strategic,
} from "./request-parts.ts"

const text = fc.constantFrom("x", "y", "", "a longer text")
/** Never empty: `data: {}` is a decided difference that would end every sequence. */
const texts = fc.dictionary(fc.constantFrom("k", "l", "m"), text, { minKeys: 1, maxKeys: 3 })

const data: Readonly<Record<Resource, fc.Arbitrary<object>>> = {
  configmaps: fc.record(
    {
      data: mostly(texts, fc.constantFrom({ "a b": "x" }, { n: 1 }, "text", { k: null })),
      binaryData: rarely(fc.constantFrom({ z: "AAEC" }, { k: "AAEC" }, { z: "!" })),
      immutable: rarely(fc.boolean()),
      other: rarely(text),
    },
    { requiredKeys: [] },
  ),
  secrets: fc.record(
    {
      type: rarely(fc.constantFrom("Opaque", "x/y", "kubernetes.io/tls")),
      data: maybe(mostly(fc.constantFrom({ k: "eA==" }, { l: "eQ==" }), fc.constant({ k: "?" }))),
      stringData: maybe(texts),
    },
    { requiredKeys: [] },
  ),
  things: fc.record(
    { spec: thingSpec(), status: rarely(fc.constant({ phase: "ready" })), extra: rarely(text) },
    { requiredKeys: ["spec"] },
  ),
}

function thingSpec(): fc.Arbitrary<object> {
  const port = fc.record(
    {
      name: fc.constantFrom("http", "dns"),
      protocol: maybe(fc.constantFrom("TCP", "UDP")),
      port: maybe(fc.constantFrom(80, 443, 0)),
    },
    { requiredKeys: ["name"] },
  )
  return fc.record(
    {
      size: mostly(fc.constantFrom(1, 2, 51), fc.constantFrom(-1, 101, "1", 1.5, null)),
      color: maybe(mostly(fc.constantFrom("red", "green"), fc.constantFrom("pink", null, 1))),
      code: rarely(fc.constantFrom("ab1", "AB", "abcdefghij")),
      when: rarely(fc.constantFrom("2020-01-01T00:00:00Z", "today")),
      ratio: rarely(fc.constantFrom(0.5, 0, 1, 2.0)),
      on: rarely(fc.constantFrom<unknown>(true, false, "yes")),
      either: rarely(fc.constantFrom<unknown>(1, "50%", true)),
      none: rarely(fc.constantFrom(null, "x")),
      fixed: rarely(fc.constantFrom("p", "q")),
      tags: rarely(fc.array(fc.constantFrom("s", "t", "u"), { maxLength: 3 })),
      ports: rarely(fc.array(port, { maxLength: 3 })),
      steps: rarely(fc.array(fc.record({ run: text }), { maxLength: 2 })),
      settings: rarely(texts),
      whole: rarely(texts),
      deep: rarely(fc.constantFrom<unknown>({}, { level: 5 }, { name: "n" }, null, { odd: 1 })),
      free: rarely(fc.constantFrom({ any: { thing: [1, { a: null }] } }, {})),
      unknown: rarely(text),
    },
    { requiredKeys: ["size"] },
  )
}

const metadata = (name: string | undefined) =>
  fc.record(
    {
      name: fc.constant(name),
      labels: rarely(
        mostly(
          fc.constantFrom({ app: "one" }, { app: "two", tier: "x" }, {}),
          fc.constantFrom({ "bad key!": "x" }, { app: "-" }, { app: 1 }),
        ),
      ),
      annotations: rarely(fc.constantFrom({ note: "n" }, { "a/b/c": "x" })),
      finalizers: rarely(fc.constantFrom(["compare.dev/keep"], ["bad finalizer"], [])),
      namespace: rarely(fc.constantFrom("{ns}", "elsewhere")),
      generateName: rarely(fc.constant("gen-")),
      ownerReferences: rarely(
        fc.constantFrom(
          [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "{uid configmaps/a}" }],
          [{ apiVersion: "v1", kind: "ConfigMap", name: "a" }],
        ),
      ),
    },
    { requiredKeys: ["name"] },
  )

const clean = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function objects(resource: Resource, name: string | undefined): fc.Arbitrary<object> {
  const { apiVersion, kind } = kinds[resource]
  return fc
    .tuple(metadata(name), data[resource], rarely(fc.constantFrom("Wrong", "")))
    .map(([meta, rest, odd]) => ({ apiVersion, kind: odd ?? kind, metadata: meta, ...rest }))
}

const query = (parts: Readonly<Record<string, string | undefined>>): string => {
  const known = Object.entries(parts).filter(([, value]) => value !== undefined && value !== "")
  const text = known.map(([key, value]) => `${key}=${encode(value ?? "")}`).join("&")
  return text === "" ? "" : `?${text}`
}
/** Keeps the braces that are filled in later. */
const encode = (value: string) => encodeURIComponent(value).replace(/%7B(.*?)%7D/g, decode)
const decode = (text: string) => decodeURIComponent(text)

const writeOptions = fc.record({
  fieldManager: fc.constantFrom("m1", "m2", "m1", undefined),
  dryRun: rarely(fc.constantFrom("All", "Some")),
  fieldValidation: rarely(fc.constantFrom("Strict", "Ignore", "Warn", "Loud")),
})

const target = fc.tuple(fc.constantFrom(...resources), fc.constantFrom(...names))

const create: fc.Arbitrary<Request> = target.chain(([resource, name]) =>
  fc.tuple(objects(resource, name), writeOptions).map(([body, options]) => ({
    ...{ method: "POST", path: `${collection(resource)}${query(options)}`, type: json },
    body: clean(body),
  })),
)

const update: fc.Arbitrary<Request> = target.chain(([resource, name]) => {
  const version = fc.constantFrom("rv", "rv", "rv", "old", "none")
  const sub = resource === "things" ? rarely(fc.constant("/status")) : fc.constant(undefined)
  return fc
    .tuple(objects(resource, name), writeOptions, version, sub)
    .map(([body, options, which, subresource]) => {
      const plain = clean(body) as { metadata: object }
      const revision = which === "none" ? {} : { resourceVersion: `{${which} ${resource}/${name}}` }
      return {
        method: "PUT",
        path: `${collection(resource)}/${name}${subresource ?? ""}${query(options)}`,
        type: json,
        body: { ...plain, metadata: { ...plain.metadata, ...revision } },
      }
    })
})

const applied: fc.Arbitrary<Request> = target.chain(([resource, name]) =>
  fc
    .tuple(objects(resource, name), writeOptions, fc.constantFrom("true", undefined, undefined))
    .map(([body, options, force]) => ({
      method: "PATCH",
      path: `${collection(resource)}/${name}${query({ ...options, force })}`,
      type: apply,
      body: clean(body),
    })),
)

const merged: fc.Arbitrary<Request> = target.chain(([resource, name]) =>
  fc
    .tuple(
      data[resource],
      rarely(metadata(undefined)),
      writeOptions,
      resource === "things"
        ? fc.constantFrom(merge, merge, merge, strategic)
        : fc.constantFrom(merge, strategic),
      resource === "things" ? rarely(fc.constantFrom("/status", "/scale")) : fc.constant(undefined),
    )
    .map(([body, meta, options, type, sub]) => ({
      method: "PATCH",
      path: `${collection(resource)}/${name}${sub ?? ""}${query(options)}`,
      type,
      body: clean(sub === "/scale" ? { spec: { replicas: 4 } } : { metadata: meta, ...body }),
    })),
)

const operation = fc.constantFrom<object>(
  { op: "add", path: "/metadata/labels", value: { app: "one" } },
  { op: "add", path: "/metadata/labels/app", value: "two" },
  { op: "remove", path: "/metadata/labels" },
  { op: "remove", path: "/metadata/finalizers" },
  { op: "test", path: "/metadata/name", value: "a" },
  { op: "replace", path: "/data", value: { k: "eA==" } },
  { op: "add", path: "/data/l", value: "eA==" },
  { op: "replace", path: "/spec/size", value: 7 },
  { op: "add", path: "/spec/tags", value: ["s"] },
  { op: "add", path: "/spec/tags/-", value: "v" },
  { op: "copy", from: "/metadata/name", path: "/spec/fixed" },
  { op: "move", from: "/spec/color", path: "/spec/code" },
  { op: "add", path: "/none/there", value: 1 },
  { op: "nothing", path: "/spec" },
)

const patched: fc.Arbitrary<Request> = target.chain(([resource, name]) =>
  fc
    .tuple(fc.array(operation, { minLength: 1, maxLength: 3 }), writeOptions)
    .map(([body, options]) => ({
      method: "PATCH",
      path: `${collection(resource)}/${name}${query(options)}`,
      type: patch,
      body,
    })),
)

const deleted: fc.Arbitrary<Request> = target.chain(([resource, name]) =>
  fc
    .record(
      {
        propagationPolicy: rarely(fc.constantFrom("Background", "Orphan", "Foreground", "Odd")),
        preconditions: maybe(
          fc.constantFrom<object>(
            { uid: `{uid ${resource}/${name}}` },
            { uid: "no such uid" },
            { resourceVersion: `{rv ${resource}/${name}}` },
            { resourceVersion: `{old ${resource}/${name}}` },
          ),
        ),
        dryRun: rarely(fc.constantFrom(["All"], ["Some"])),
        gracePeriodSeconds: rarely(fc.constantFrom(0, 5, -1)),
      },
      { requiredKeys: [] },
    )
    .map((body) => ({
      ...{ method: "DELETE", path: `${collection(resource)}/${name}`, type: json },
      body: clean({ apiVersion: "v1", kind: "DeleteOptions", ...body }),
    })),
)

const table = "application/json;as=Table;v=v1;g=meta.k8s.io"
const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
const partials = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
const odd = fc.constantFrom("text/html", "application/xml", "*/*", "application/json;as=Odd")

const get: fc.Arbitrary<Request> = fc
  .tuple(
    target,
    maybe(fc.oneof(fc.constantFrom(table, partial, partials, "application/yaml"), odd)),
    rarely(fc.constantFrom("/status", "/scale", "/log")),
  )
  .map(([[resource, name], accept, sub]) => ({
    method: "GET",
    path: `${collection(resource)}/${name}${sub ?? ""}`,
    ...(accept === undefined ? {} : { accept }),
  }))

const listOptions = fc.record({
  labelSelector: maybe(
    fc.constantFrom(
      ...["app=one", "app!=one", "app in (one,two)", "app notin (one)", "!app", "app", "tier,app"],
      ...["app in ()", "=x", "app==", "a b=c", "app>1", "app=one,", "app in (one", "-=x"],
    ),
  ),
  fieldSelector: rarely(
    fc.constantFrom(
      ...["metadata.name=a", "metadata.name!=a", "metadata.namespace={ns}", "spec.color=red"],
      ...["type=Opaque", "spec.size=1", "metadata.name", "metadata.name=a,metadata.name=b", "=a"],
      ...["metadata.name=a\\,b", "metadata.name=a=b", "metadata.name!=a\\=b,", "type=a\\b"],
    ),
  ),
  limit: rarely(fc.constantFrom("1", "0", "-1", "x", "500")),
  resourceVersion: rarely(fc.constantFrom("0", "x", "{rv things/a}", "{rv configmaps/a}")),
  resourceVersionMatch: rarely(fc.constantFrom("Exact", "NotOlderThan", "Odd")),
  continue: rarely(fc.constantFrom("nonsense", "bm9uc2Vuc2U")),
  sendInitialEvents: rarely(fc.constantFrom("true")),
  timeoutSeconds: rarely(fc.constantFrom("5", "x")),
})

const list: fc.Arbitrary<Request> = fc
  .tuple(
    fc.constantFrom(...resources),
    listOptions,
    maybe(fc.oneof(fc.constantFrom(table, partial, partials), odd)),
  )
  .map(([resource, options, accept]) => ({
    method: "GET",
    path: `${collection(resource)}${query(options)}`,
    ...(accept === undefined ? {} : { accept }),
  }))

const deletedAll: fc.Arbitrary<Request> = fc
  .tuple(
    fc.constantFrom(...resources),
    listOptions,
    rarely(
      fc.constantFrom(
        ...[{ uid: "x" }, { uid: "" }, { uid: 5 }, { uid: null }, { uid: "{uid things/a}" }],
        ...[{ resourceVersion: "5" }, { resourceVersion: "{rv things/a}" }, [], "x"],
      ),
    ),
  )
  .map(([resource, listed, preconditions]) => {
    const { continue: _c, timeoutSeconds: _t, limit: _l, resourceVersion, ...options } = listed
    // There is one more ConfigMap where a controller makes one for each namespace.
    const isAlone = resource !== "configmaps"
    const more = isAlone ? { resourceVersion } : {}
    const path = `${collection(resource)}${query({ ...options, ...more })}`
    if (preconditions === undefined || !isAlone) return { method: "DELETE", path }
    return { method: "DELETE", path, type: json, body: { preconditions } }
  })

/** A request of every sort, those that make objects more often. */
export const sequences: fc.Arbitrary<readonly Request[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: create },
    { weight: 4, arbitrary: update },
    { weight: 6, arbitrary: applied },
    { weight: 4, arbitrary: merged },
    { weight: 3, arbitrary: patched },
    { weight: 2, arbitrary: deleted },
    { weight: 3, arbitrary: get },
    { weight: 3, arbitrary: list },
    { weight: 1, arbitrary: deletedAll },
    { weight: 2, arbitrary: mistakes },
  ),
  { minLength: 10, maxLength: 20, size: "max" },
)
