// What a File object says, as a schema and as the wish that observe and act work with.

import { z } from "zod"
import { isHashedValue, sha256 } from "../../base/hash.ts"
import type { Json } from "../../base/json.ts"
import type { FilesRead } from "../../contract/world.ts"
import { ref } from "../../provider/ref.ts"
import { payload } from "../../provider/schema-marks.ts"
import { directoryOf, type Place } from "./bounds.ts"
import { contentMax } from "./look.ts"

/** Absolute, without empty, `.` and `..` components; in linear time, so without look-ahead. */
const component = "([^/.\\x00][^/\\x00]*|\\.[^/.\\x00][^/\\x00]*|\\.\\.[^/\\x00]+)"
export const pathPattern = new RegExp(`^(/${component})+$`)
const rootPattern = new RegExp(`^(/|(/${component})+)$`)
const anyText = "[^\\x00]+"
const linkPattern = new RegExp(`^${anyText}$`)
const accountPattern = /^([A-Za-z_][A-Za-z0-9_.-]{0,31}\$?|[0-9]{1,10})$/

/** The fields that File and Directory share. */
export const placeFields = {
  path: z.string().max(4095).regex(pathPattern).describe("Absolute path, without . and .. in it."),
  root: z
    .string()
    .max(4095)
    .regex(rootPattern)
    .optional()
    .describe("The path must lie in this directory; below it no component may be a symlink."),
  owner: z.string().regex(accountPattern).optional().describe("User name or number; unset = any."),
  group: z.string().regex(accountPattern).optional().describe("Group name or number; unset = any."),
}

const modePattern = /^[0-7]{4}$/

export const modeField = (preset: string) =>
  z.string().regex(modePattern).default(preset).describe("Four octal digits in quotes.")

export const fileSpec = z
  .strictObject({
    ...placeFields,
    content: ref(
      payload(z.string().max(contentMax).optional().describe("Text, at most 1 MiB as UTF-8.")),
    ),
    contentBase64: payload(
      z
        .string()
        .max(Math.ceil(contentMax / 3) * 4)
        .regex(/^[A-Za-z0-9+/]*={0,2}$/)
        .optional()
        .describe("Bytes, at most 1 MiB."),
    ),
    symlink: z
      .string()
      .min(1)
      .max(4095)
      .regex(linkPattern)
      .optional()
      .describe("Makes a symbolic link with this text; mode does not apply to it."),
    mode: modeField("0644"),
  })
  .meta({
    oneOf: [
      ...[{ required: ["content"] }, { required: ["contentFrom"] }],
      ...[{ required: ["contentBase64"] }, { required: ["symlink"] }],
    ],
  })

export type FileSpec = z.output<typeof fileSpec>

export type FileBody =
  | { readonly kind: "content"; readonly bytes: Uint8Array; readonly hash: string }
  | { readonly kind: "symlink"; readonly link: string; readonly hash: string }

/** What a record keeps of a long or secret content: enough to take a file away, not to make one. */
export interface RecordedBody {
  readonly kind: "recorded"
  /** Of the bytes, or "" where only a hash of something else is known. */
  readonly hash: string
}

export interface FileWish extends Place {
  readonly directory: string
  readonly body: FileBody | RecordedBody
  readonly mode: number
}

/** The wish, or in words what is wrong with the spec beyond what a schema can say. */
export function fileWish(spec: FileSpec): FileWish | string {
  const body = bodyOf(spec)
  if (typeof body === "string") return body
  const { path, root = "/" } = spec
  return { path, root, directory: directoryOf(path), body, mode: Number.parseInt(spec.mode, 8) }
}

function bodyOf(spec: FileSpec): FileWish["body"] | string {
  const { content, contentBase64, symlink } = spec
  const given = [content, contentBase64, symlink].filter((value) => value !== undefined)
  if (given.length !== 1) return "exactly one of content, contentBase64 and symlink must be given"
  const recorded = recordedBody(content, contentBase64)
  if (recorded !== undefined) return recorded
  if (symlink !== undefined) return { kind: "symlink", link: symlink, hash: sha256(symlink) }
  const bytes =
    content === undefined ? Buffer.from(contentBase64 ?? "", "base64") : Buffer.from(content)
  if (bytes.length > contentMax) return `the content has ${bytes.length} bytes; 1 MiB is the most`
  return { kind: "content", bytes, hash: sha256(bytes) }
}

/** The spec of a target that is to go comes from its record, where hashes stand for long values. */
function recordedBody(text: Json = null, base64: Json = null): RecordedBody | undefined {
  if (isHashedValue(base64)) return { kind: "recorded", hash: "" }
  if (!isHashedValue(text)) return undefined
  const [, hash = ""] = /^sha256:([0-9a-f]{64})$/.exec(text.$hash) ?? []
  return { kind: "recorded", hash }
}

export interface Owner {
  readonly uid?: number
  readonly gid?: number
}

/** The numbers of the wanted owner and group, or which of the names is not known here. */
export function wantedOwner(
  files: FilesRead,
  spec: { readonly owner?: string | undefined; readonly group?: string | undefined },
): Owner | string {
  const uid =
    spec.owner === undefined ? undefined : accountId(spec.owner, (name) => files.userId(name))
  const gid =
    spec.group === undefined ? undefined : accountId(spec.group, (name) => files.groupId(name))
  if (uid === null) return `there is no user ${spec.owner} on this host`
  if (gid === null) return `there is no group ${spec.group} on this host`
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) }
}

function accountId(name: string, lookUp: (name: string) => number | undefined): number | null {
  return lookUp(name) ?? (/^\d+$/.test(name) ? Number(name) : null)
}

/**
 * Said as the spec, or the one applied before it, says it when it is the same account: an account
 * that nobody changed must not look changed. Otherwise by name, or by number.
 */
export function accountText(
  id: number,
  said: readonly Json[],
  accounts: { id(name: string): number | undefined; name(id: number): string | undefined },
): string {
  const same = said.find((name) => typeof name === "string" && accountId(name, accounts.id) === id)
  return typeof same === "string" ? same : (accounts.name(id) ?? String(id))
}
