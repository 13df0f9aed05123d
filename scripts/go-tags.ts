// Reads from Go source what its struct tags say about JSON: names, embedding, pointers, and what
// is left out when empty. Only for the generated-looking types of the Kubernetes API.

export interface GoField {
  /** "" when the tag gives none. */
  readonly name: string
  readonly embedded: boolean
  readonly pointer: boolean
  readonly omitEmpty: boolean
  readonly omitZero: boolean
}

export interface GoStruct {
  /** By protobuf field number. */
  readonly fields: ReadonlyMap<number, GoField>
  /** It embeds TypeMeta: an object that travels alone. */
  readonly isKind: boolean
}

export function readGoTypes(source: string): Map<string, GoStruct> {
  const found = new Map<string, GoStruct>()
  for (const match of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
    const body = match[2] ?? ""
    found.set(match[1] ?? "", { fields: readFields(body), isKind: /^\t\S*TypeMeta\b/m.test(body) })
  }
  return found
}

function readFields(body: string): Map<number, GoField> {
  const fields = new Map<number, GoField>()
  for (const [, declared = "", tags = ""] of body.matchAll(/^\t([^/\n`]+?)\s+`([^`]*)`/gm)) {
    const number = /protobuf:"\w+,(\d+),/.exec(tags)?.[1]
    const json = /json:"([^"]*)"/.exec(tags)?.[1]
    if (number === undefined || json === undefined) continue
    const words = declared.trim().split(/\s+/)
    const [name = "", ...options] = json.split(",")
    fields.set(Number(number), {
      name,
      embedded: words.length === 1,
      pointer: (words.at(-1) ?? "").startsWith("*"),
      omitEmpty: options.includes("omitempty"),
      omitZero: options.includes("omitzero"),
    })
  }
  return fields
}
