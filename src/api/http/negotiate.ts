// Which form of an answer the caller asks for: the object itself, a Table for people, or metadata
// alone. Media types are tried in the order given; one that nobody can serve is 406.

import { apiFault } from "../faults.ts"

export type Form = "object" | "table" | "metadata" | "metadataList"

export interface Negotiated {
  readonly form: Form
  /** Of meta.k8s.io: what the answer calls itself. */
  readonly version: "v1" | "v1beta1"
}

const whole: Negotiated = { form: "object", version: "v1" }

const forms: Readonly<Record<string, Form>> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "metadataList",
}

const jsonTypes = new Set(["application/json", "application/*", "*/*"])
const acceptMax = 20

/** `tables` is false for kinds that have no table form. */
export function negotiate(accept: string | undefined, tables = true): Negotiated {
  if (accept === undefined || accept.trim() === "" || accept === "application/json") return whole
  for (const part of accept.split(",").slice(0, acceptMax)) {
    const found = readMediaType(part, tables)
    if (found !== undefined) return found
  }
  throw apiFault("SPT-API-110")
}

function readMediaType(text: string, tables: boolean): Negotiated | undefined {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim())
  if (!jsonTypes.has(type.toLowerCase())) return undefined
  const params = new Map(rest.map((part) => readParam(part)))
  const as = params.get("as")
  if (as === undefined) return whole
  const form = forms[as]
  const version = params.get("v")
  if (form === undefined || params.get("g") !== "meta.k8s.io") return undefined
  if (version !== "v1" && version !== "v1beta1") return undefined
  if (form === "table" && !tables) return undefined
  return { form, version }
}

function readParam(text: string): [string, string] {
  const mark = text.indexOf("=")
  return mark < 0 ? [text, ""] : [text.slice(0, mark), text.slice(mark + 1)]
}
