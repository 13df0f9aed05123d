// What a program says of itself: its kinds, with their schemas and how their targets are named. A
// program can't take a group that is somebody else's, and what it leaves out has a safe default.

import { z } from "zod"
import { isObject, type Json, type JsonObject } from "../../base/json.ts"
import { issueText, protocolVersion, readJsonObject } from "./protocol.ts"

const field = z.string().min(1).max(200)
const seconds = z.number().min(1).max(600)

const kind = z.strictObject({
  group: z.string().max(200).optional(),
  version: z.string().max(40),
  kind: z.string().max(63),
  plural: z.string().max(63).optional(),
  description: z.string().max(2000).optional(),
  shortNames: z.array(z.string().max(63)).max(10).optional(),
  /** JSON Schema of the spec. */
  schema: z.custom<JsonObject>(isObject, "has to be a JSON Schema"),
  /** Fields of the spec that together name the target; a change of one replaces it. */
  identity: z.array(field).min(1).max(10),
  identityRule: z.enum(["derived", "clientToken", "searchable", "none"]).optional(),
  /** Fields that name the system; its calls share a rate limit and a breaker. */
  connection: z.array(field).max(10).optional(),
  replaceOn: z.array(field).max(50).optional(),
  /** The program lists: all targets with the same values of these fields come together. */
  list: z.strictObject({ scope: z.array(field).max(10) }).optional(),
  /** The program can say when something may have changed. */
  watch: z.boolean().optional(),
  /** The answers carry no token: the target is read again right before each act. */
  tokens: z.boolean().optional(),
  /** False: whoever writes such objects can't take over the host by them. */
  privileged: z.boolean().default(true),
  sensitivePaths: z.array(field).max(50).optional(),
  columns: z
    .array(z.strictObject({ name: field, field }))
    .max(10)
    .optional(),
  timeoutSeconds: z
    .strictObject({ observe: seconds.optional(), act: seconds.optional() })
    .optional(),
})

const description = z.object({
  apiVersion: z.literal(protocolVersion),
  status: z.literal("ok"),
  /** One process answers many lines, until the end of its input. */
  persistent: z.boolean().optional(),
  kinds: z.array(kind).min(1).max(50),
})

export type ExecKind = z.output<typeof kind> & { readonly group: string }

export interface Description {
  readonly persistent: boolean
  readonly kinds: readonly ExecKind[]
}

/** The description, or in words what is wrong with it. */
export function readDescription(line: string, name: string): Description | string {
  const parsed = readJsonObject(line)
  if (typeof parsed === "string") return parsed
  if (parsed.status === "error") return String(parsed.message ?? "it says error")
  const checked = description.safeParse(parsed)
  if (!checked.success) return issueText(checked.error)
  const kinds: ExecKind[] = []
  for (const given of checked.data.kinds) {
    const group = given.group ?? `${name}.exec.setpoint.dev`
    const taken = groupProblem(group, name)
    if (taken !== undefined) return taken
    const schema = markSecrets(given.schema, given.sensitivePaths ?? [])
    if (typeof schema === "string") return schema
    kinds.push({ ...given, group, schema })
  }
  return { persistent: checked.data.persistent === true, kinds }
}

function groupProblem(group: string, name: string): string | undefined {
  if (group === `${name}.exec.setpoint.dev`) return undefined
  const owner = ["setpoint.dev", "k8s.io", "kubernetes.io"].find(
    (domain) => group === domain || group.endsWith(`.${domain}`),
  )
  if (owner === undefined) return undefined
  return `the group ${group} is not free; leave it out, or use a domain of your own`
}

/** The schema with the named fields marked as secret, or which of them is not there. */
function markSecrets(schema: JsonObject, paths: readonly string[]): JsonObject | string {
  let marked: JsonObject = schema
  for (const path of paths) {
    const next = markSecret(marked, path.split("."))
    if (next === undefined) return `sensitivePaths names ${path}, which the schema does not have`
    marked = next
  }
  return marked
}

function markSecret(node: Json | undefined, names: readonly string[]): JsonObject | undefined {
  if (!isObject(node)) return undefined
  const [name, ...rest] = names
  if (name === undefined) return { ...node, "x-setpoint-secret": true }
  const { properties } = node
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined
  const child = markSecret(properties[name], rest)
  return child === undefined ? undefined : { ...node, properties: { ...properties, [name]: child } }
}
