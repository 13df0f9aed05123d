// From what git said when a call failed to one of our faults. What a server says is untrusted: one
// line of it is kept, without control characters, credentials or length. Pure.

import type { Fault } from "../../base/faults.ts"
import { gitFault } from "./faults.ts"
import { type GitCredentials, GitCut, type GitResult } from "./git-program.ts"

const lineMax = 300

type Code = "SPT-GIT-010" | "SPT-GIT-011" | "SPT-GIT-012" | "SPT-GIT-017" | "SPT-GIT-018"

/** The first that fits; English, since git runs with LC_ALL=C. */
const known: readonly (readonly [RegExp, Code])[] = [
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i, "SPT-GIT-018"],
  [
    /SSL certificate|certificate verify|self.signed|SSL: no alternative certificate/i,
    "SPT-GIT-018",
  ],
  [/Authentication failed|could not read (Username|Password)|Permission denied/i, "SPT-GIT-011"],
  [/returned error: (401|403|407)|invalid credentials|Load key .* (error|invalid)/i, "SPT-GIT-011"],
  [/repository .* not found|Repository not found|returned error: (404|410)/i, "SPT-GIT-012"],
  [/does not appear to be a git repository|project .* not found/i, "SPT-GIT-012"],
  [
    /fsck|error in object|object [0-9a-f]{40,}: |bad tree|index-pack failed|unpack.*failed/i,
    "SPT-GIT-017",
  ],
  [/could ?n.t (resolve|connect)|Failed to connect|refused|timed out|unreachable/i, "SPT-GIT-010"],
  [/returned error: (429|5\d\d)|reset by peer|Empty reply|hung up|early EOF/i, "SPT-GIT-010"],
  [/Could not read from remote|unable to access|Operation too slow|disconnect/i, "SPT-GIT-010"],
]

export function callFault(
  error: unknown,
  facts: { readonly url: string; readonly limit: number; readonly full?: Fault },
): Fault | undefined {
  if (!(error instanceof GitCut)) return undefined
  const { url, limit } = facts
  if (error.cut === "missing") return gitFault("SPT-GIT-003", { cause: oneLine(error.message) })
  if (error.cut === "size") return facts.full ?? gitFault("SPT-GIT-016", { url, limit })
  return gitFault("SPT-GIT-015", { url, cause: oneLine(error.message) })
}

export function remoteFault(result: GitResult, url: string, credentials: GitCredentials): Fault {
  const said = scrub(result.stderr, credentials)
  const cause = tellingLine(said, result.code)
  const [, code] = known.find(([pattern]) => pattern.test(said)) ?? []
  if (code !== undefined) return gitFault(code, { url, cause })
  return gitFault("SPT-GIT-019", { url, cause })
}

const ofCopy =
  /corrupt|cannot lock ref|\.lock'|inflate|is empty|packfile|bad object|all necessary objects/i

/** Whether a fetch may have failed for what we have rather than for what the server said. */
export function mayBeCopy({ code }: Fault, { stderr }: GitResult): boolean {
  if (code === "SPT-GIT-017" || code === "SPT-GIT-019") return true
  // A server's own words say nothing about our copy.
  const ours = stderr.split("\n").filter((line) => !line.startsWith("remote:"))
  return ours.some((line) => ofCopy.test(line))
}

/** The line that says most: git's own last word, else the first of all. */
function tellingLine(said: string, code: number): string {
  const lines = said
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("warning:"))
  const own = lines.filter((line) => /^(fatal|error|ssh):/i.test(line) || /object /.test(line))
  const best = own.find((line) => !/rights|exists|please make sure/i.test(line)) ?? lines[0]
  return oneLine(best ?? `git ended with ${code}`)
}

export function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim()
  return plain.length > lineMax ? `${plain.slice(0, lineMax)}...` : plain
}

/** Whatever git or a server repeats of them; also in the forms that addresses and headers use. */
export function scrub(text: string, { username, password, identity }: GitCredentials): string {
  const pair = `${username ?? ""}:${password ?? ""}`
  const secrets = [password, identity?.trim(), Buffer.from(pair).toString("base64")]
  let clean = text.replaceAll(/:\/\/[^/@\s]*@/g, "://")
  for (const secret of secrets) {
    if (secret === undefined || secret === "") continue
    for (const form of [secret, encodeURIComponent(secret)]) clean = clean.replaceAll(form, "***")
  }
  return clean
}
