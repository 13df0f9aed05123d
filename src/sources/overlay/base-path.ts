// Where an overlay's base lies: a path relative to the overlay's folder that stays inside of the
// source's root, or the reason why it can't be used. Pure: nothing is looked at.

export type BasePath =
  | { readonly folder: string }
  | { readonly cause: string; readonly hint: string }

const bytesMax = 1024

/**
 * `folder` is the overlay's own, relative to the root ("" is the root itself); undefined where the
 * source has no root besides its own folder.
 */
export function resolveBase(folder: string, base: string, hasRoot: boolean): BasePath {
  const refuse = (cause: string, hint: string) => ({ cause, hint })
  const relative = "write it relative to the overlay's folder, as ../../base"
  if (base.startsWith("/") || /^[A-Za-z]:|:\/\//.test(base)) {
    return refuse("it is no relative path", relative)
  }
  if (base.includes("\\") || /\p{Cc}/u.test(base) || Buffer.byteLength(base) > bytesMax) {
    return refuse("it is no plain path", relative)
  }
  const parts = folder === "" ? [] : folder.split("/")
  for (const part of base.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) {
      return hasRoot
        ? refuse("it leaves the source's root", "keep bases and overlays below one root")
        : refuse(
            "it leaves the loop's folder",
            "name the folder that holds both in spec.source.directory.root (or --source-root)",
          )
    }
    if (part.startsWith(".") && part !== "..") {
      return refuse("hidden folders are not read", "rename the folder")
    }
  }
  const found = parts.join("/")
  if (found === folder || folder.startsWith(found === "" ? "" : `${found}/`)) {
    return refuse(
      "the overlay would lie inside of its own base",
      "give the base a folder of its own",
    )
  }
  return { folder: found }
}

/** Where a folder lies below a root, both as they are written; undefined when it does not. */
export function folderWithin(root: string, folder: string): string | undefined {
  const above = partsOf(root)
  const parts = partsOf(folder)
  if (root.startsWith("/") !== folder.startsWith("/")) return undefined
  if ([...above, ...parts].includes("..")) return undefined
  if (above.some((part, index) => parts[index] !== part)) return undefined
  return parts.slice(above.length).join("/")
}

const partsOf = (path: string): string[] =>
  path.split("/").filter((part) => part !== "" && part !== ".")
