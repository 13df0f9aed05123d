// Where targets may lie: inside the allowed roots, never inside a forbidden one (the plane's own
// data), and never reached over a symlink. Everything here reads and nothing changes.

import { type Failure, failureOf } from "../../contract/diagnosis.ts"
import type { FileStat, FilesRead } from "../../contract/world.ts"

export interface Bounds {
  /** Targets must lie in one of these; `["/"]` allows the whole host. */
  readonly roots: readonly string[]
  /** No target may lie in one of these. */
  readonly forbidden: readonly string[]
}

export interface Place {
  readonly path: string
  /** Components up to here may be symlinks; those below may not. */
  readonly root: string
}

/** What the target's name would be looked up in, and its place without the root's symlinks. */
export type Ground =
  | { readonly kind: "ground"; readonly parent: FileStat; readonly place: Place }
  | { readonly kind: "missing"; readonly at: string }
  | {
      readonly kind: "blocked"
      readonly cause: string
      readonly stuck: boolean
      readonly failure: Failure
    }

const linksMax = 40

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/")
  return slash <= 0 ? "/" : path.slice(0, slash)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

export function within(directory: string, path: string): boolean {
  return directory === "/" || path === directory || path.startsWith(`${directory}/`)
}

/** Absolute, no empty, `.` or `..` component, no NUL; what the schema's pattern says too. */
export function isNormalPath(path: string): boolean {
  if (path === "/") return true
  if (!path.startsWith("/") || path.includes("\0") || Buffer.byteLength(path) > 4095) return false
  const names = path.slice(1).split("/")
  return names.every((name) => name !== "" && name !== "." && name !== "..")
}

/** Why the place is out of bounds by its name alone, or undefined. */
export function placeProblem({ path, root }: Place, bounds: Bounds): string | undefined {
  if (!isNormalPath(path) || path === "/") return `${path} is not an absolute, normal path`
  if (!isNormalPath(root)) return `the root ${root} is not an absolute, normal path`
  if (root === path || !within(root, path)) return `${path} does not lie in the root ${root}`
  if (!bounds.roots.some((allowed) => within(allowed, path))) {
    return `${path} lies outside of the allowed roots (${bounds.roots.join(", ")})`
  }
  const taken = bounds.forbidden.find((directory) => within(directory, path))
  return taken === undefined ? undefined : `${path} lies in ${taken}, which belongs to the plane`
}

type Blocked = Extract<Ground, { kind: "blocked" }>

const blocked = (cause: string, stuck: boolean, failure: Failure): Blocked => {
  return { kind: "blocked", cause, stuck, failure }
}
const outOfBounds = (cause: string) => blocked(cause, true, { class: "BadSpec" })
const inTheWay = (cause: string) => blocked(cause, true, { class: "Conflict" })
const unreadable = (error: Error) => blocked(error.message, false, failureOf(error))

/** Walks from the root down to the parent directory and refuses whatever is in the way. */
export async function findGround(files: FilesRead, place: Place, bounds: Bounds): Promise<Ground> {
  const problem = placeProblem(place, bounds)
  if (problem !== undefined) return outOfBounds(problem)
  if (place.root !== "/") {
    const real = await realPath(files, place.root)
    if (real.kind !== "real") return real
    if (real.path !== place.root) {
      const path = `${real.path === "/" ? "" : real.path}${place.path.slice(place.root.length)}`
      const hidden = placeProblem({ path, root: real.path }, bounds)
      if (hidden !== undefined) return outOfBounds(`the root is a symlink, and ${hidden}`)
      return walk(files, { path, root: real.path })
    }
  }
  return walk(files, place)
}

function walk(files: FilesRead, place: Place): Ground {
  const { path, root } = place
  const directories = ancestorsOf(path).filter((directory) => within(root, directory))
  const stats = files.lstatMany(directories)
  let parent: FileStat | undefined
  for (const [index, directory] of directories.entries()) {
    const stat = stats[index]
    if (stat === undefined) return { kind: "missing", at: directory }
    if (stat instanceof Error) return unreadable(stat)
    if (stat.type === "symlink") {
      const cause = `a symlink is in the way at ${directory}; use the real path`
      return inTheWay(cause)
    }
    if (stat.type !== "directory") {
      const what = stat.type === "file" ? "a file" : "a special file"
      const cause = `${what} is in the way at ${directory}`
      return inTheWay(`${cause}; a directory has to be there`)
    }
    parent = stat
  }
  if (parent === undefined) return { kind: "missing", at: root }
  return { kind: "ground", parent, place }
}

/** "/", "/a", "/a/b" for "/a/b/c". */
export function ancestorsOf(path: string): string[] {
  const found = ["/"]
  for (let slash = path.indexOf("/", 1); slash > 0; slash = path.indexOf("/", slash + 1)) {
    found.push(path.slice(0, slash))
  }
  return found
}

type Real = { readonly kind: "real"; readonly path: string } | Exclude<Ground, { kind: "ground" }>

async function realPath(files: FilesRead, path: string): Promise<Real> {
  let done = ""
  let rest = path.split("/").filter((name) => name !== "")
  for (let links = 0; rest.length > 0; ) {
    const [name = "", ...after] = rest
    rest = after
    if (name === ".") continue
    if (name === "..") {
      done = done.slice(0, Math.max(0, done.lastIndexOf("/")))
      continue
    }
    const next = `${done}/${name}`
    const [stat] = files.lstatMany([next])
    if (stat === undefined) return { kind: "missing", at: next }
    if (stat instanceof Error) return unreadable(stat)
    if (stat.type !== "symlink") {
      done = next
      continue
    }
    if (++links > linksMax) {
      return inTheWay(`too many symlinks at ${next}`)
    }
    const target = await files.readlink(next)
    if (target.startsWith("/")) done = ""
    rest = [...target.split("/").filter((part) => part !== ""), ...rest]
  }
  return { kind: "real", path: done === "" ? "/" : done }
}
