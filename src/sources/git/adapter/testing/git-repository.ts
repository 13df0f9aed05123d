// A real repository for tests: a bare one that stands for the server, and writing to it without a
// work tree, so that also trees can be made which no git checkout would make.

import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TreeFileDraft {
  readonly mode: "100644" | "100755" | "120000" | "160000"
  /** Content; for a submodule the id of a commit. */
  readonly content: string
}

export type Files = Readonly<Record<string, string | TreeFileDraft>>

export interface CommitOptions {
  readonly branch?: string
  readonly message?: string
  /** Without one: the branch as it is. "none" begins a new history. */
  readonly parent?: string
  /** Extra settings for signing, as `-c` takes them. */
  readonly sign?: readonly string[]
}

const timeout = 20_000

export class GitRepository {
  /** Everything of the test lies below. */
  readonly home: string
  /** The bare repository. */
  readonly path: string
  #commits = 0

  constructor(name = "site.git") {
    this.home = realpathSync(mkdtempSync(join(tmpdir(), "setpoint-git-")))
    this.path = join(this.home, name)
    this.git(["init", "--bare", "--quiet", "--initial-branch=main", this.path])
    const more = "[http]\n\treceivepack = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n"
    appendFileSync(join(this.path, "config"), more)
  }

  get url(): string {
    return `file://${this.path}`
  }

  remove(): void {
    // Signing with GPG starts an agent that stays.
    const home = join(this.home, "gnupg")
    if (existsSync(home)) spawnSync("gpgconf", ["--homedir", home, "--kill", "all"], { timeout })
    rmSync(this.home, { recursive: true, force: true })
  }

  git(args: readonly string[], input = "", settings: readonly string[] = []): string {
    const at = args[0] === "init" ? [] : [`--git-dir=${this.path}`]
    const extra = settings.flatMap((one) => ["-c", one])
    const when = `${1_700_000_000 + this.#commits * 60} +0000`
    const result = spawnSync("git", [...extra, ...at, ...args], {
      ...{ input, timeout, encoding: "utf8", cwd: this.home },
      env: {
        ...{ PATH: process.env.PATH, HOME: this.home, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" },
        ...{ GIT_CONFIG_GLOBAL: "/dev/null", GNUPGHOME: join(this.home, "gnupg") },
        ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.com", GIT_AUTHOR_DATE: when },
        ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.com" },
        GIT_COMMITTER_DATE: when,
      },
    })
    if (result.status === 0) return result.stdout.trim()
    throw new Error(`git ${args.join(" ")}: ${result.stderr}`)
  }

  /** A commit that holds exactly these files, and moves the branch to it. */
  commit(files: Files, options: CommitOptions = {}): string {
    const { branch = "main", message = `Change ${++this.#commits}`, sign } = options
    const parent = options.parent ?? this.head(branch) ?? "none"
    if (sign === undefined) return this.#import(files, branch, message, parent)
    const parents = parent === "none" ? [] : ["-p", parent]
    const args = ["commit-tree", "-S", ...parents, "-m", message, this.tree(files)]
    return this.#move(branch, this.git(args, "", sign))
  }

  /** Of a tree that no checkout would make. */
  commitTree(tree: string, branch = "main"): string {
    const head = this.head(branch)
    const parents = head === undefined ? [] : ["-p", head]
    return this.#move(branch, this.git(["commit-tree", ...parents, "-m", "Strange", tree]))
  }

  #move(branch: string, commit: string): string {
    this.git(["update-ref", `refs/heads/${branch}`, commit])
    return commit
  }

  #import(files: Files, branch: string, message: string, parent: string): string {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
    const who = `Ann <ann@example.com> ${1_700_000_000 + ++this.#commits * 60} +0000`
    const changes = Object.entries(files).map(([path, file]) => {
      const { mode, content } = typeof file === "string" ? { mode: "100644", content: file } : file
      if (mode === "160000") return `M ${mode} ${content} "${path}"\n`
      return `M ${mode} inline "${path}"\n${data(content)}`
    })
    const from = parent === "none" ? "" : `from ${parent}\n`
    const ref = "refs/import/next"
    const head = `reset ${ref}\n\ncommit ${ref}\nmark :1\nauthor ${who}\ncommitter ${who}\n`
    const text = `${head}${data(message)}${from}deleteall\n${changes.join("")}\nget-mark :1\ndone\n`
    const how = ["--quiet", "--force", "--done", "--date-format=raw", "--cat-blob-fd=1"]
    const commit = this.git(["fast-import", ...how], text)
    return this.#move(branch, commit)
  }

  head(branch = "main"): string | undefined {
    const file = join(this.path, "refs/heads", branch)
    if (existsSync(file)) return readFileSync(file, "utf8").trim()
    const packed = join(this.path, "packed-refs")
    if (!existsSync(packed)) return undefined
    const lines = readFileSync(packed, "utf8").split("\n")
    return lines.find((line) => line.endsWith(` refs/heads/${branch}`))?.split(" ")[0]
  }

  /** Names may be anything that `mktree` takes. */
  tree(files: Files): string {
    const folders = new Map<string, Record<string, string | TreeFileDraft>>()
    const lines: string[] = []
    for (const [path, file] of Object.entries(files)) {
      const slash = path.indexOf("/")
      if (slash < 0) {
        const { mode, content } =
          typeof file === "string" ? { mode: "100644", content: file } : file
        const id = mode === "160000" ? content : this.blob(content)
        lines.push(`${mode} ${mode === "160000" ? "commit" : "blob"} ${id}\t${path}`)
        continue
      }
      const [folder, rest] = [path.slice(0, slash), path.slice(slash + 1)]
      folders.set(folder, { ...folders.get(folder), [rest]: file })
    }
    for (const [folder, inner] of folders) lines.push(`040000 tree ${this.tree(inner)}\t${folder}`)
    return this.git(["mktree", "-z", "--missing"], lines.map((line) => `${line}\0`).join(""))
  }

  /** From the bytes of a tree, whatever they say. */
  rawTree(bytes: Uint8Array): string {
    const file = join(this.home, "raw-tree")
    writeFileSync(file, bytes)
    return this.git(["hash-object", "--literally", "-t", "tree", "-w", file])
  }

  blob(content: string): string {
    return this.git(["hash-object", "-w", "--stdin"], content)
  }

  tag(name: string, commit: string, sign: readonly string[] = []): void {
    const how = sign.length === 0 ? ["-a"] : ["-s"]
    this.git(["tag", ...how, "-f", "-m", `Version ${name}`, name, commit], "", sign)
  }

  /** A new SSH key: how to sign with it, and its line for allowed signers. */
  sshKey(name: string): { readonly sign: readonly string[]; readonly allowed: string } {
    const file = join(this.home, `key-${name}`)
    const args = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]
    const made = spawnSync("ssh-keygen", args, { timeout, encoding: "utf8" })
    if (made.status !== 0) throw new Error(made.stderr)
    const shown = spawnSync("ssh-keygen", ["-y", "-f", file], { timeout, encoding: "utf8" })
    const sign = ["gpg.format=ssh", `user.signingkey=${file}`]
    return { sign, allowed: `${name} ${shown.stdout.trim()}` }
  }

  /** A new GPG key in a home of its own: how to sign with it, and its armored public key. */
  gpgKey(name: string): { readonly sign: readonly string[]; readonly armored: string } {
    const home = join(this.home, "gnupg")
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeFileSync(join(home, "gpg.conf"), "batch\npinentry-mode loopback\n")
    const run = (args: readonly string[]) => {
      const all = ["--homedir", home, "--batch", "--passphrase", "", ...args]
      const result = spawnSync("gpg", all, { timeout, encoding: "utf8" })
      if (result.status !== 0) throw new Error(result.stderr)
      return result.stdout
    }
    run(["--quick-gen-key", `${name} <${name}@example.com>`, "ed25519", "sign", "never"])
    const armored = run(["--armor", "--export", `${name}@example.com`])
    return { sign: [`user.signingkey=${name}@example.com`], armored }
  }
}
