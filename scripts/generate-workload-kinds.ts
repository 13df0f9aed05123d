// Writes the schemas of Kubernetes' workload kinds: `node scripts/generate-workload-kinds.ts DIR`,
// where DIR holds the published OpenAPI v3 files of Kubernetes (`api__v1_openapi.json` and so on).
// Types are lowered to structural form: no texts, no references but to types of the same file,
// which workloads.ts puts in, list types and merge keys as they are.

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isArray, isObject, type Json, type JsonObject } from "../src/base/json.ts"

interface Wanted {
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  /** Shown by `kubectl get all`. */
  readonly all?: boolean
}

const files: readonly (readonly [group: string, version: string, kinds: readonly Wanted[]])[] = [
  [
    "",
    "v1",
    [
      { kind: "Pod", plural: "pods", shortNames: ["po"], all: true },
      { kind: "Service", plural: "services", shortNames: ["svc"], all: true },
      { kind: "Node", plural: "nodes", shortNames: ["no"] },
      { kind: "Endpoints", plural: "endpoints", shortNames: ["ep"] },
      { kind: "PersistentVolume", plural: "persistentvolumes", shortNames: ["pv"] },
      { kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", shortNames: ["pvc"] },
      { kind: "ResourceQuota", plural: "resourcequotas", shortNames: ["quota"] },
      { kind: "LimitRange", plural: "limitranges", shortNames: ["limits"] },
    ],
  ],
  [
    "apps",
    "v1",
    [
      { kind: "Deployment", plural: "deployments", shortNames: ["deploy"], all: true },
      { kind: "ReplicaSet", plural: "replicasets", shortNames: ["rs"], all: true },
      { kind: "StatefulSet", plural: "statefulsets", shortNames: ["sts"], all: true },
      { kind: "DaemonSet", plural: "daemonsets", shortNames: ["ds"], all: true },
    ],
  ],
  [
    "batch",
    "v1",
    [
      { kind: "Job", plural: "jobs", all: true },
      { kind: "CronJob", plural: "cronjobs", shortNames: ["cj"], all: true },
    ],
  ],
  ["discovery.k8s.io", "v1", [{ kind: "EndpointSlice", plural: "endpointslices" }]],
  [
    "networking.k8s.io",
    "v1",
    [
      { kind: "Ingress", plural: "ingresses", shortNames: ["ing"] },
      { kind: "NetworkPolicy", plural: "networkpolicies", shortNames: ["netpol"] },
    ],
  ],
  [
    "autoscaling",
    "v2",
    [
      {
        kind: "HorizontalPodAutoscaler",
        plural: "horizontalpodautoscalers",
        shortNames: ["hpa"],
        all: true,
      },
    ],
  ],
  [
    "policy",
    "v1",
    [{ kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", shortNames: ["pdb"] }],
  ],
]

const directory = process.argv[2]
if (directory === undefined) throw new Error("give the folder with the OpenAPI v3 files")

const kept = [
  ...["type", "format", "enum", "required", "x-kubernetes-list-type"],
  ...["x-kubernetes-list-map-keys", "x-kubernetes-map-type"],
  ...["x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy"],
]
const formats = ["int32", "int64", "date-time", "byte"]
const anything: JsonObject = { "x-kubernetes-preserve-unknown-fields": true }

/** `io.k8s.api.core.v1.PodSpec` to `core.v1.PodSpec`. */
const shortName = (name: string): string => name.split(".").slice(-3).join(".")

const at = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined

class Lowering {
  readonly types: Record<string, JsonObject> = {}
  readonly #sources: JsonObject

  constructor(sources: JsonObject) {
    this.#sources = sources
  }

  reference(pointer: string): JsonObject {
    const full = pointer.slice(pointer.lastIndexOf("/") + 1)
    const name = shortName(full)
    if (name.endsWith("resource.Quantity")) return anything
    if (name.endsWith("intstr.IntOrString")) return { "x-kubernetes-int-or-string": true }
    const source = this.#sources[full]
    if (!isObject(source)) throw new Error(`no type ${full}`)
    if (!isObject(source.properties)) return this.lower(source)
    if (this.types[name] === undefined) {
      this.types[name] = {} // Known before its members are, for types that hold themselves.
      this.types[name] = this.lower(source)
    }
    return { $ref: name }
  }

  lower(schema: JsonObject): JsonObject {
    const [first] = isArray(schema.allOf) ? schema.allOf : []
    const pointer = schema.$ref ?? at(first, "$ref")
    const notes = Object.fromEntries(
      kept
        .filter((name) => schema[name] !== undefined)
        .filter((name) => name !== "format" || formats.includes(String(schema.format)))
        .map((name) => [name, schema[name] as Json]),
    )
    if (typeof pointer === "string") return { ...this.reference(pointer), ...notes }
    const { properties, items, additionalProperties: values } = schema
    // Real defaults say something; others are what Go fills in for nothing.
    const { default: given } = schema
    const real = typeof given === "string" && given !== "" ? { default: given } : {}
    const whole: Record<string, Json> = { ...notes, ...real }
    if (isObject(properties)) {
      whole.properties = Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [name, this.lower(value as JsonObject)]),
      )
    }
    if (isObject(items)) whole.items = this.lower(items)
    if (isObject(values)) whole.additionalProperties = this.lower(values)
    const open = whole.type === "object" && !isObject(properties) && !isObject(values)
    if (open || whole.type === undefined) return { ...whole, ...anything }
    return whole
  }
}

const kinds: JsonObject[] = []
const types: Record<string, JsonObject> = {}
for (const [group, version, wanted] of files) {
  const file = `${group === "" ? "api" : `apis__${group}`}__${version}_openapi.json`
  const document = JSON.parse(readFileSync(join(directory, file), "utf8")) as JsonObject
  const schemas = at(at(document, "components"), "schemas") as JsonObject
  const paths = Object.keys(document.paths as JsonObject)
  const lowering = new Lowering(schemas)
  for (const { kind, plural, shortNames = [], all = false } of wanted) {
    const full = Object.keys(schemas).find(
      (name) => name.startsWith("io.k8s.api.") && name.endsWith(`.${version}.${kind}`),
    )
    const { $ref } = lowering.reference(full ?? kind)
    const has = (end: string) => paths.some((path) => path.endsWith(`/${plural}${end}`))
    const namespaced =
      has("/{name}") && paths.some((path) => path.endsWith(`{namespace}/${plural}`))
    const [status, scale] = [has("/{name}/status"), has("/{name}/scale")]
    const names = { group, version, kind, plural, shortNames: [...shortNames] }
    kinds.push({ ...names, namespaced, all, status, scale, type: $ref as Json })
  }
  Object.assign(types, lowering.types)
}

const target = new URL("../src/api/definitions/data/workloads.json", import.meta.url)
const sorted = Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1)))
const lines = Object.entries(sorted).map(([name, type]) => `"${name}":${JSON.stringify(type)}`)
const text = `{"kinds":${JSON.stringify(kinds)},\n"types":{\n${lines.join(",\n")}\n}}\n`
writeFileSync(fileURLToPath(target), text)
