// The tree behind the simulated files: nodes with inode numbers, owners and modes, and the walk
// that resolves a path as a Unix kernel does, with permission checks. Errors are errno faults.

import { simFault } from "./faults.ts"

export interface FileIdentity {
  readonly uid: number
  readonly gid: number
  /** More groups. */
  readonly groups?: readonly number[]
  /** Passes every permission check, as with CAP_DAC_OVERRIDE. True for uid 0 when missing. */
  readonly overrides?: boolean
}

export interface FileNode {
  readonly inode: number
  mode: number
  uid: number
  gid: number
  mtimeNs: bigint
  ctimeNs: bigint
  links: number
  readonly body:
    | { readonly type: "file"; content: Uint8Array }
    | { readonly type: "symlink"; readonly target: string }
    | { readonly type: "directory"; readonly entries: Map<string, FileNode> }
    | { readonly type: "other" }
}

export interface Place {
  readonly parent: FileNode
  readonly entries: Map<string, FileNode>
  readonly name: string
  readonly node: FileNode | undefined
}

export const readBit = 4
export const writeBit = 2
export const searchBit = 1

const symlinksMax = 40

export function errnoFault(call: string, path: string, errno: string) {
  return simFault("SPT-SIM-002", { call, path, errno })
}

export function isAllowed(identity: FileIdentity, node: FileNode, bits: number): boolean {
  if (identity.overrides ?? identity.uid === 0) return true
  const groups = [identity.gid, ...(identity.groups ?? [])]
  const shift = node.uid === identity.uid ? 6 : groups.includes(node.gid) ? 3 : 0
  return ((node.mode >> shift) & bits) === bits
}

/** Splits an absolute path; ".." is not resolved here but while walking. */
export function partsOf(call: string, path: string): string[] {
  if (!path.startsWith("/") || path.includes("\u0000")) throw errnoFault(call, path, "EINVAL")
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  if (parts.some((part) => Buffer.byteLength(part) > 255)) {
    throw errnoFault(call, path, "ENAMETOOLONG")
  }
  return parts
}

export interface Way {
  readonly root: FileNode
  readonly identity: FileIdentity
  /** Through symlinks, but never through one in the last component. */
  readonly follows: boolean
}

/** The directory that holds the last component, and what is there. */
export function locate({ root, identity, follows }: Way, call: string, path: string): Place {
  let symlinks = 0
  const stack: FileNode[] = [root]
  const rest = partsOf(call, path)
  for (;;) {
    const parent = stack.at(-1) ?? root
    if (parent.body.type !== "directory") throw errnoFault(call, path, "ENOTDIR")
    if (!isAllowed(identity, parent, searchBit)) throw errnoFault(call, path, "EACCES")
    const entries = parent.body.entries
    const name = rest.shift()
    if (name === undefined) return { parent, entries, name: ".", node: parent }
    if (name === "..") {
      if (stack.length > 1) stack.pop()
      continue
    }
    const node = entries.get(name)
    if (rest.length === 0) return { parent, entries, name, node }
    if (node === undefined) throw errnoFault(call, path, "ENOENT")
    if (node.body.type !== "symlink") {
      stack.push(node)
      continue
    }
    if (!follows) throw errnoFault(call, path, "ENOTDIR")
    if (++symlinks > symlinksMax) throw errnoFault(call, path, "ELOOP")
    if (node.body.target.startsWith("/")) stack.length = 1
    rest.unshift(...node.body.target.split("/").filter((part) => part !== "" && part !== "."))
  }
}

/** The node is this one or lies below it. */
export function isWithin(ancestor: FileNode, node: FileNode): boolean {
  if (ancestor === node) return true
  if (ancestor.body.type !== "directory") return false
  return [...ancestor.body.entries.values()].some((child) => isWithin(child, node))
}
