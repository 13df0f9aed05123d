// Whose signature a commit or tag bears, judged by git with nothing but the keys that the loop
// names: SSH keys in git's own format of allowed signers, armored GPG public keys. Asked before
// anything of a tree is read. Doubt is a refusal.

import type { Fault } from "../../base/faults.ts"
import { sha256 } from "../../base/hash.ts"
import { gitFault } from "./faults.ts"
import type { GitCopy } from "./git-copy.ts"
import type { GitResult } from "./git-program.ts"
import { oneLine } from "./what-went-wrong.ts"

export interface Signers {
  /** "ConfigMap signers" */
  readonly name: string
  readonly allowed: string
  readonly publicKeys: readonly string[]
  /** Equal for equal keys. */
  readonly hash: string
}

const keysMax = 512 * 1024
const armor = "-----BEGIN PGP PUBLIC KEY BLOCK-----"

/** From the values of a ConfigMap or Secret, by name. */
export function readSigners(
  name: string,
  data: ReadonlyMap<string, string> | undefined,
): Signers | Fault {
  const refuse = (problem: string) => gitFault("SPT-GIT-026", { signers: name, problem })
  if (data === undefined) return refuse("does not exist")
  const allowed = data.get("allowed_signers") ?? ""
  const publicKeys = [...data].filter(([key]) => key.endsWith(".asc")).map(([, text]) => text)
  if (allowed.trim() === "" && publicKeys.length === 0) return refuse("holds no keys")
  if (publicKeys.some((text) => !text.includes(armor))) return refuse("has a .asc that is no key")
  const all = [allowed, ...publicKeys].join("\0")
  if (all.length > keysMax || allowed.includes("\0")) return refuse("is too large")
  return { name, allowed: `${allowed.trim()}\n`, publicKeys, hash: sha256(all) }
}

export interface Signed {
  readonly what: "commit" | "tag"
  readonly id: string
  /** How messages name it. */
  readonly name: string
}

/** The signer, or why not. */
export async function verifySignature(
  copy: GitCopy,
  signed: Signed,
  signers: Signers,
): Promise<string | Fault> {
  const { what, id, name } = signed
  const text = Buffer.from(await copy.read(["cat-file", what, id])).toString("utf8")
  if (!isSigned(what, text)) return gitFault("SPT-GIT-022", { what, name })
  const { allowed, publicKeys } = signers
  const result = await copy.ask([`verify-${what}`, "--raw", id], {
    settings: [
      "gpg.ssh.allowedSignersFile=allowed_signers",
      ...(publicKeys.length === 0 ? ["gpg.program=false"] : []),
    ],
    files: { allowed_signers: allowed },
    ...(publicKeys.length === 0 ? {} : { publicKeys }),
  })
  return signerOf(result) ?? refusalOf(result, signed, signers.name)
}

/** What a tag says that it is called; a signature would count for any name otherwise. */
export async function tagName(copy: GitCopy, id: string): Promise<string | undefined> {
  const result = await copy.ask(["cat-file", "tag", id])
  if (result.code !== 0) return undefined
  const [head = ""] = Buffer.from(result.stdout).toString("utf8").split("\n\n", 1)
  return /^tag (.+)$/m.exec(head)?.[1]
}

function isSigned(what: Signed["what"], text: string): boolean {
  const end = text.indexOf("\n\n")
  if (what === "commit") return /^gpgsig(-sha256)? /m.test(text.slice(0, end < 0 ? undefined : end))
  return /^-----BEGIN (SSH SIGNATURE|PGP SIGNATURE|PGP MESSAGE)-----$/m.test(text)
}

function signerOf({ code, stderr }: GitResult): string | undefined {
  if (code !== 0) return undefined
  const ssh = /^Good "git" signature for (.+) with (\S+) key (SHA256:\S+)$/m.exec(stderr)
  if (ssh !== null) return oneLine(`${ssh[1]} (${ssh[3]})`)
  const gpg = /^\[GNUPG:\] GOODSIG ([0-9A-F]+) (.+)$/m.exec(stderr)
  const valid = /^\[GNUPG:\] VALIDSIG ([0-9A-F]+) /m.test(stderr)
  return gpg === null || !valid ? undefined : oneLine(`${gpg[2]} (${gpg[1]})`)
}

function refusalOf({ stderr }: GitResult, { what, name }: Signed, signers: string): Fault {
  if (/No principal matched|NO_PUBKEY/.test(stderr)) {
    return gitFault("SPT-GIT-023", { what, name, signers })
  }
  const gpg = /^\[GNUPG:\] (EXPKEYSIG|REVKEYSIG|BADSIG|EXPSIG)/m.exec(stderr)?.[1]
  const words: Readonly<Record<string, string>> = {
    ...{ EXPKEYSIG: "its key has expired", REVKEYSIG: "its key was revoked" },
    ...{ BADSIG: "it does not fit the content", EXPSIG: "it has expired" },
  }
  const cause = gpg === undefined ? oneLine(stderr).slice(0, 120) : words[gpg]
  return gitFault("SPT-GIT-024", { what, name, cause: cause || "git could not verify it" })
}
