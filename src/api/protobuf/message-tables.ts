// The field tables of the Kubernetes messages, from the generated data. A message is one line of
// text: fields parted by "; ", each "jsonName number type" with "[]" for a list or "{}" for a map,
// then "*" when Go holds a pointer, "?" when an empty value is left out of the JSON form, "!" when
// a zero value is. The name "-" means that the message's members stand in the outer object; a text
// that starts with "=" is a list that protobuf has to wrap.

import data from "./data/messages.json" with { type: "json" }

export interface MessageField {
  readonly name: string
  readonly inline: boolean
  readonly type: string
  readonly shape: "one" | "list" | "map"
  readonly pointer: boolean
  readonly omitEmpty: boolean
  readonly omitZero: boolean
}

export interface MessageTable {
  /** In the order of the JSON form. */
  readonly fields: readonly MessageField[]
  readonly indexes: ReadonlyMap<number, number>
  /** The message is a list in JSON; its one field holds the items. */
  readonly isList: boolean
}

const kinds = new Map<string, string>(Object.entries(data.kinds))
const texts = new Map<string, string>(Object.entries(data.messages))
const tables = new Map<string, MessageTable>()

/** The message of a kind; undefined when the kind has no protobuf form here. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  return kinds.get(`${apiVersion}/${kind}`) ?? kinds.get(`*/${kind}`)
}

/** Every kind that can come as protobuf, as `apiVersion/Kind`. */
export function protobufKinds(): readonly string[] {
  return [...kinds.keys()]
}

/** Undefined when it is no message of the tables but a special form or a scalar. */
export function messageTable(name: string): MessageTable | undefined {
  const known = tables.get(name)
  if (known !== undefined) return known
  const text = texts.get(name)
  if (text === undefined) return undefined
  const table = parseTable(text)
  tables.set(name, table)
  return table
}

function parseTable(text: string): MessageTable {
  const isList = text.startsWith("=")
  const lines = isList ? [`items 1 ${text.slice(1)}`] : text === "" ? [] : text.split("; ")
  const indexes = new Map<number, number>()
  const fields = lines.map((line, index): MessageField => {
    const [name = "", number = "", spec = ""] = line.split(" ")
    indexes.set(Number(number), index)
    const type = /^[\w.]+/.exec(spec)?.[0] ?? ""
    const shape = spec.includes("[]") ? "list" : spec.includes("{}") ? "map" : "one"
    return {
      name,
      inline: name === "-",
      type,
      shape,
      pointer: spec.includes("*"),
      omitEmpty: spec.includes("?"),
      omitZero: spec.includes("!"),
    }
  })
  return { fields, indexes, isList }
}
