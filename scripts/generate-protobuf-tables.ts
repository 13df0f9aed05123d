// Writes the field tables of the protobuf bodies: `node scripts/generate-protobuf-tables.ts DIR`,
// where DIR is the `staging/src/k8s.io` folder of a Kubernetes checkout. Numbers and types come
// from the generated.proto files, the JSON names and what is left out when empty from the tags of
// the types beside them. One line of text per message; read-tables.ts says how it is read.

import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type GoStruct, readGoTypes } from "./go-tags.ts"

/** Folder below DIR, the short name of its package, and the group/version it serves. */
const packages: readonly (readonly [folder: string, short: string, apiVersion: string])[] = [
  ["apimachinery/pkg/apis/meta/v1", "meta.v1", "*"],
  ["api/core/v1", "core.v1", "v1"],
  ["api/events/v1", "events.v1", "events.k8s.io/v1"],
  ["api/coordination/v1", "coordination.v1", "coordination.k8s.io/v1"],
  ["api/rbac/v1", "rbac.v1", "rbac.authorization.k8s.io/v1"],
  ["api/authorization/v1", "authorization.v1", "authorization.k8s.io/v1"],
  ["api/authentication/v1", "authentication.v1", "authentication.k8s.io/v1"],
  ["api/admissionregistration/v1", "admissionregistration.v1", "admissionregistration.k8s.io/v1"],
  ["api/autoscaling/v1", "autoscaling.v1", "autoscaling/v1"],
  ["api/autoscaling/v2", "autoscaling.v2", "autoscaling/v2"],
  ["api/apps/v1", "apps.v1", "apps/v1"],
  ["api/batch/v1", "batch.v1", "batch/v1"],
  ["api/networking/v1", "networking.v1", "networking.k8s.io/v1"],
  ["api/discovery/v1", "discovery.v1", "discovery.k8s.io/v1"],
  ["api/policy/v1", "policy.v1", "policy/v1"],
  ["api/storage/v1", "storage.v1", "storage.k8s.io/v1"],
  ["api/scheduling/v1", "scheduling.v1", "scheduling.k8s.io/v1"],
  // Its kinds are not served, but a Job refers to its types.
  ["api/scheduling/v1alpha3", "scheduling.v1alpha3", ""],
  ["api/certificates/v1", "certificates.v1", "certificates.k8s.io/v1"],
  ["api/node/v1", "node.v1", "node.k8s.io/v1"],
  [
    "apiextensions-apiserver/pkg/apis/apiextensions/v1",
    "apiextensions.v1",
    "apiextensions.k8s.io/v1",
  ],
  [
    "kube-aggregator/pkg/apis/apiregistration/v1",
    "apiregistration.v1",
    "apiregistration.k8s.io/v1",
  ],
]

/** Bodies that every group takes, whatever apiVersion they name. */
const optionKinds = ["DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "Status"]

/** Messages whose JSON form is no object of their fields; the decoder knows each. */
const special: Readonly<Record<string, string>> = {
  "k8s.io.apimachinery.pkg.api.resource.Quantity": "Quantity",
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": "IntOrString",
  "k8s.io.apimachinery.pkg.runtime.RawExtension": "Raw",
  "meta.v1.Time": "Time",
  "meta.v1.MicroTime": "MicroTime",
  "meta.v1.Duration": "Duration",
  "meta.v1.FieldsV1": "Raw",
  "apiextensions.v1.JSON": "Raw",
  "apiextensions.v1.JSONSchemaPropsOrArray": "SchemaOrArray",
  "apiextensions.v1.JSONSchemaPropsOrBool": "SchemaOrBool",
  "apiextensions.v1.JSONSchemaPropsOrStringArray": "SchemaOrStrings",
}

const scalars: Readonly<Record<string, string>> = {
  string: "s",
  bool: "b",
  bytes: "y",
  double: "d",
  int32: "i",
  int64: "l",
}

interface ProtoField {
  readonly number: number
  readonly type: string
  readonly shape: "" | "[]" | "{}"
}

const base = process.argv[2]
if (base === undefined) throw new Error("usage: generate-protobuf-tables.ts DIR")
const messages = new Map<string, readonly ProtoField[]>()
const structs = new Map<string, GoStruct>()
const kinds = new Map<string, string>()
const shortNames = new Map<string, string>()

for (const [folder, short, apiVersion] of packages) readPackage(folder, short, apiVersion)

function readPackage(folder: string, short: string, apiVersion: string): void {
  const proto = readFileSync(`${base}/${folder}/generated.proto`, "utf8")
  const full = /^package ([\w.]+);/m.exec(proto)?.[1] ?? ""
  shortNames.set(full, short)
  for (const match of proto.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    messages.set(`${short}.${match[1]}`, protoFields(match[2] ?? "", full))
  }
  for (const file of readdirSync(`${base}/${folder}`)) {
    if (!file.endsWith(".go") || /^zz_|_test\.go$|^generated/.test(file)) continue
    const types = readGoTypes(readFileSync(`${base}/${folder}/${file}`, "utf8"))
    for (const [name, struct] of types) structs.set(`${short}.${name}`, struct)
  }
  for (const name of messages.keys()) {
    const kind = name.slice(short.length + 1)
    if (!name.startsWith(`${short}.`) || kind.includes(".") || kind.endsWith("List")) continue
    const served = apiVersion === "*" ? optionKinds.includes(kind) : structs.get(name)?.isKind
    if (served && apiVersion !== "" && (apiVersion === "*" || !kind.endsWith("Options")))
      kinds.set(`${apiVersion}/${kind}`, name)
  }
}

function protoFields(body: string, full: string): ProtoField[] {
  const fields: ProtoField[] = []
  const line =
    /^ {2}(optional|repeated) ([\w.]+) \w+ = (\d+);|^ {2}map<string, ([\w.]+)> \w+ = (\d+);/gm
  for (const [, label, type, number, mapped, mapNumber] of body.matchAll(line)) {
    const own = type ?? mapped ?? ""
    const qualified = own in scalars ? own : own.startsWith(".") ? own.slice(1) : `${full}.${own}`
    const shape = mapped !== undefined ? "{}" : label === "repeated" ? "[]" : ""
    fields.push({ number: Number(number ?? mapNumber), type: qualified, shape })
  }
  return fields
}

/** `s`, `Quantity` or `core.v1.PodSpec`. */
function typeName(type: string): string {
  if (type in scalars) return scalars[type] ?? ""
  if (type in special) return special[type] ?? ""
  const dot = type.lastIndexOf(".")
  const short = shortNames.get(type.slice(0, dot))
  if (short === undefined) throw new Error(`no package for ${type}`)
  const name = `${short}.${type.slice(dot + 1)}`
  return special[name] ?? name
}

/** `json number type`, then `[]` or `{}`, `*` for a pointer, `?` omitempty, `!` omitzero. */
function fieldText(message: string, field: ProtoField, struct?: GoStruct): string {
  const tag = struct?.fields.get(field.number)
  if (tag === undefined) throw new Error(`${message} has no tag for ${field.number}`)
  const inline = tag.embedded && tag.name === ""
  const flags = `${tag.pointer ? "*" : ""}${tag.omitEmpty ? "?" : ""}${tag.omitZero ? "!" : ""}`
  const name = inline ? "-" : tag.name
  return `${name} ${field.number} ${typeName(field.type)}${field.shape}${flags}`
}

function messageText(message: string): string {
  const struct = structs.get(message)
  const fields = messages.get(message)
  if (fields === undefined) throw new Error(`no message ${message}`)
  // A named list: in protobuf a message that wraps it, in JSON the list.
  if (struct === undefined && fields.length > 0) {
    return `=${fields.map((one) => typeName(one.type) + one.shape).join()}`
  }
  return fields.map((field) => fieldText(message, field, struct)).join("; ")
}

const texts = new Map<string, string>()
const isMessage = (type: string) => type.includes(".")
const waiting = [...kinds.values()]
for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
  if (texts.has(name)) continue
  texts.set(name, messageText(name))
  for (const field of messages.get(name) ?? []) {
    const type = typeName(field.type)
    if (isMessage(type)) waiting.push(type)
    else if (type.startsWith("Schema")) waiting.push("apiextensions.v1.JSONSchemaProps")
  }
}

const sorted = (entries: ReadonlyMap<string, string>) =>
  Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : 1)))
const data = { kinds: sorted(kinds), messages: sorted(texts) }
const path = fileURLToPath(new URL("../src/api/protobuf/data/messages.json", import.meta.url))
writeFileSync(path, `${JSON.stringify(data, undefined, 2)}\n`)
console.log(`wrote ${kinds.size} kinds, ${texts.size} messages`)
