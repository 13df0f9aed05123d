// What `metadata` may hold beyond its types: names, labels, annotations, finalizers and owners as
// Kubernetes allows them.

import type { ObjectMeta } from "../object/object.ts"
import type { FieldCause } from "./faults.ts"
import type { ServedResource } from "./served-resource.ts"

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const qualifiedName = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const annotationsBytesMax = 256 * 1024

const invalid = (field: string, message: string): FieldCause => ({
  field,
  reason: "FieldValueInvalid",
  message,
})

export function isSubdomain(name: string): boolean {
  return name.length <= 253 && subdomain.test(name)
}

export function isDnsLabel(name: string): boolean {
  return name.length <= 63 && dnsLabel.test(name)
}

/** [prefix/]name, as label and annotation keys are. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf("/")
  const [prefix, name] = slash < 0 ? ["a", text] : [text.slice(0, slash), text.slice(slash + 1)]
  return isSubdomain(prefix) && name.length <= 63 && qualifiedName.test(name)
}

export function isLabelValue(text: string): boolean {
  return text === "" || (text.length <= 63 && qualifiedName.test(text))
}

export function checkMetadata(resource: ServedResource, metadata: ObjectMeta): FieldCause[] {
  return [
    ...checkName(resource, metadata.name),
    ...checkLabels(metadata.labels ?? {}),
    ...checkAnnotations(metadata.annotations ?? {}),
    ...(metadata.finalizers ?? [])
      .filter((finalizer) => !isQualifiedName(finalizer))
      .map((finalizer) => invalid("metadata.finalizers", `"${finalizer}" is no qualified name`)),
    ...checkOwners(metadata),
  ]
}

function checkName(resource: ServedResource, name: string): FieldCause[] {
  // Roles are named as the parts of the system they are for: "system:discovery".
  if (resource.group === "rbac.authorization.k8s.io") return checkSegment(name)
  const isNamespace = resource.group === "" && resource.resource === "namespaces"
  if (isNamespace ? isDnsLabel(name) : isSubdomain(name)) return []
  const shape = isNamespace ? "label (at most 63 characters)" : "subdomain (at most 253 characters)"
  const text = `"${name.slice(0, 300)}" must be a lower case RFC 1123 ${shape}`
  return [invalid("metadata.name", `${text}: letters, digits, "-"${isNamespace ? "" : ' and "."'}`)]
}

function checkSegment(name: string): FieldCause[] {
  const dots = name === "." || name === ".."
  const sane = name !== "" && name.length <= 253 && !dots && !/[/%]/.test(name)
  return sane ? [] : [invalid("metadata.name", 'may not be ".", "..", or contain "/" or "%"')]
}

function checkLabels(labels: Readonly<Record<string, string>>): FieldCause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const causes: FieldCause[] = []
    if (!isQualifiedName(key)) causes.push(invalid("metadata.labels", `"${key}" is no label key`))
    if (!isLabelValue(value)) {
      causes.push(invalid("metadata.labels", `"${value}" of "${key}" is no label value`))
    }
    return causes
  })
}

function checkAnnotations(annotations: Readonly<Record<string, string>>): FieldCause[] {
  let bytes = 0
  const causes: FieldCause[] = []
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    if (isQualifiedName(key.toLowerCase())) continue
    causes.push(invalid("metadata.annotations", `"${key}" is no annotation key`))
  }
  if (bytes > annotationsBytesMax) {
    causes.push({
      field: "metadata.annotations",
      reason: "FieldValueTooLong",
      message: `must have at most ${annotationsBytesMax} bytes`,
    })
  }
  return causes
}

function checkOwners(metadata: ObjectMeta): FieldCause[] {
  const owners = metadata.ownerReferences ?? []
  const [first, ...others] = owners.filter((owner) => owner.controller === true)
  if (first === undefined) return []
  const named = ({ kind, name }: { kind: string; name: string }) => `${kind}/${name}`
  return others.map((other) => {
    const which = `references for ${named(first)} and ${named(other)}`
    const rule = "Only one reference can have Controller set to true"
    return invalid("metadata.ownerReferences", `${rule}. Found "true" in ${which}`)
  })
}
