// A git repository as the source of a loop: what a Loop may say, and which addresses, refs and
// folders are taken at all. Everything here is asked twice: when the Loop is written, and again
// before the git program sees a word of it.

import { isObject, type Json } from "../base/json.ts"

/** Exactly one of them. */
export type GitRef =
  | { readonly branch: string }
  | { readonly tag: string }
  /** The highest tag within the range: `1.x`, `>=1.2.0 <2.0.0`, `~1.4`. */
  | { readonly semver: string }
  | { readonly commit: string }

export interface GitSourceSpec {
  readonly url: string
  readonly ref: GitRef
  /** A folder of the tree; "" is its root. */
  readonly path: string
  /** How often the repository is asked for something new. */
  readonly intervalMs: number
  /** Name of a Secret of the loop's namespace. */
  readonly secret?: string
  readonly verify?: GitVerify
  /** What the repository must say that it is for. */
  readonly environment?: string
  /** Name of the Secret with the webhook's key. */
  readonly webhookSecret?: string
  /** History that was written anew is taken without asking. */
  readonly allowRewrite: boolean
}

export interface GitVerify {
  readonly signers: { readonly kind: "ConfigMap" | "Secret"; readonly name: string }
  readonly what: "Commit" | "TagOrCommit"
}

export type GitScheme = "https" | "ssh" | "http" | "file" | "git"

export interface GitAddress {
  readonly scheme: GitScheme
  /** As git gets it. */
  readonly url: string
  readonly loopback: boolean
}

const urlMax = 2000
const pathMax = 1000

/** What is in the way of taking it as an address; it is not repeated: it may hold a token. */
export function gitAddress(url: string): GitAddress | { readonly problem: string } {
  if (url === "" || url.length > urlMax) return { problem: "it is empty or too long" }
  if (!/^[\x21-\x7e]+$/.test(url) || /["'`\\<>^{|}$]/.test(url)) {
    return { problem: "it has characters that no address needs" }
  }
  const short = /^([A-Za-z0-9][\w.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):([^:/-][^:]*)$/.exec(url)
  if (short !== null) return { scheme: "ssh", url, loopback: isLoopback(short[2] ?? "") }
  const parts = /^([a-z]+):\/\/(?:([^/?#@]*)@)?(\[[0-9a-fA-F:.]+\]|[^/?#@:]*)(:\d{1,5})?(\/[^?#]*)$/
  const match = parts.exec(url)
  if (match === null) {
    if (/^[a-z]+:\/\/[^/]*@.*@/.test(url)) return { problem: credentialsText }
    return { problem: "it is not of the form https://HOST/PATH or ssh://USER@HOST/PATH" }
  }
  const [, scheme = "", user, host = "", , path = ""] = match
  if (!isScheme(scheme)) return { problem: `"${scheme}" is not https or ssh` }
  if (user !== undefined && (scheme !== "ssh" || !/^[A-Za-z0-9][\w.-]*$/.test(user))) {
    return { problem: credentialsText }
  }
  if (scheme === "file" ? host !== "" : !/^(\[.*\]|[A-Za-z0-9][A-Za-z0-9.-]*)$/.test(host)) {
    return { problem: "its host is not a name or an address" }
  }
  if (path.split("/").includes("..")) return { problem: 'its path has ".."' }
  return { scheme, url, loopback: isLoopback(host) }
}

const credentialsText = "it holds a user or a password"

const isScheme = (text: string): text is GitScheme =>
  ["https", "ssh", "http", "file", "git"].includes(text)

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** As `git check-ref-format` has it, and never something that could be taken for an option. */
export function gitRefNameProblem(name: string): string | undefined {
  if (name === "" || name.length > 200) return "it is empty or too long"
  if (!/^[\x21-\x7e]+$/.test(name)) return "it has blanks or control characters"
  if (/[~^:?*[\\]|\.\.|@\{|\/\/|\.lock(\/|$)/.test(name)) return "git has no such names"
  if (/(^|\/)[.-]|[./]$|^\/|^@$/.test(name)) return "no part of it may begin with - or ."
  return undefined
}

export function gitPathProblem(path: string): string | undefined {
  if (path === "") return undefined
  if (path.length > pathMax) return "it is too long"
  if (/[\p{Cc}\\]/u.test(path)) return "it has control characters or a backslash"
  const parts = path.split("/")
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return 'it is a folder of the tree, as in "environments/prod"'
  }
  return undefined
}

const commitId = /^([0-9a-f]{40}|[0-9a-f]{64})$/

export const isCommitId = (text: string): boolean => commitId.test(text)

/** The ref that is said; the branch main when none is. Undefined when it is not exactly one. */
export function gitRefOf(value: Json | undefined): GitRef | undefined {
  if (value === undefined) return { branch: "main" }
  if (!isObject(value)) return undefined
  const said = Object.entries(value).filter(([, one]) => typeof one === "string")
  const [name, text] = said[0] ?? ["branch", "main"]
  if (said.length > 1 || typeof text !== "string") return undefined
  if (name === "branch") return { branch: text }
  if (name === "tag") return { tag: text }
  if (name === "semver") return { semver: text }
  return name === "commit" ? { commit: text } : undefined
}

/** "branch main", "tag v1.2", "semver 1.x", "commit 0123abcd..." */
export function gitRefText(ref: GitRef): string {
  if ("branch" in ref) return `branch ${ref.branch}`
  if ("tag" in ref) return `tag ${ref.tag}`
  return "semver" in ref ? `semver ${ref.semver}` : `commit ${ref.commit}`
}

/** Without a slash at either end. */
export function gitFolderOf(value: Json | undefined): string {
  const text = typeof value === "string" ? value.replace(/^(\.?\/)+|\/+$/g, "") : ""
  return text === "." ? "" : text
}
