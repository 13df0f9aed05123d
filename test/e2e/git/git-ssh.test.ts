// A repository over ssh with a real sshd: the given key and the given host key count, nothing else.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemClock } from "../../../src/base/system.ts"
import { nodeGit } from "../../../src/sources/git/adapter/node-git.ts"
import { GitRepository } from "../../../src/sources/git/adapter/testing/git-repository.ts"
import { outcome, SourceRig } from "../../../src/sources/git/testing/source-rig.ts"
import { mountsPrivately, requireTool } from "../../tools.ts"
import { waitFor } from "../plane/wait-for.ts"

const sshd = sshdPath()
const tools = requireTool("git", "ssh-keygen", ...(sshd === "" ? ["sshd"] : []))
/** As root sshd wants a folder that only a service manager makes. */
const wantsFolder = process.getuid?.() === 0 && !existsSync("/run/sshd")
const mounts = wantsFolder ? mountsPrivately() : { missing: false }

/** By its full path, as sshd wants it. */
function sshdPath(): string {
  const shell = 'PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v sshd'
  const found = spawnSync("sh", ["-c", shell], { timeout: 10_000, encoding: "utf8" })
  return found.stdout.trim()
}

/** Where that folder is missing, sshd gets one that nobody else sees. */
function startSshd(config: string): ChildProcess {
  const command = [sshd, "-D", "-e", "-f", config]
  const made = 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"'
  const [program = "", ...args] = wantsFolder
    ? ["unshare", "-m", "sh", "-ec", made, "sh", ...command]
    : command
  return spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] })
}

let repository: GitRepository
let child: ChildProcess | undefined

beforeEach(() => {
  repository = new GitRepository()
  repository.commit({ "README.md": "x" })
})
afterEach(() => {
  child?.kill()
  repository.remove()
})

const key = (name: string) => {
  repository.sshKey(name)
  const file = join(repository.home, `key-${name}`)
  return { file, private: readFileSync(file, "utf8"), public: readFileSync(`${file}.pub`, "utf8") }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address !== null ? address.port : 0
}

describe.skipIf(tools.missing || mounts.missing)("a repository over ssh", () => {
  it("is fetched with the given key from the known host, and from no other", async () => {
    const [host, other, ann, eve] = [key("host"), key("other"), key("ann"), key("eve")]
    const port = await freePort()
    const authorized = join(repository.home, "authorized_keys")
    writeFileSync(authorized, ann.public, { mode: 0o600 })
    mkdirSync(join(repository.home, "run"))
    const lines = [
      ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${host.file}`],
      ...[`AuthorizedKeysFile ${authorized}`, "StrictModes no", "UsePAM no"],
      ...["PasswordAuthentication no", `PidFile ${join(repository.home, "run/pid")}`],
      ...["PermitRootLogin prohibit-password", "KbdInteractiveAuthentication no"],
    ]
    const config = join(repository.home, "sshd_config")
    writeFileSync(config, `${lines.join("\n")}\n`)
    let errors = ""
    child = startSshd(config)
    child.stderr?.on("data", (chunk) => {
      errors += String(chunk)
    })
    await waitFor("sshd listens", () => errors.includes("Server listening") || errors)

    const known = (one: { readonly public: string }) => `[127.0.0.1]:${port} ${one.public}`
    const program = nodeGit(join(repository.home, "data with blanks"))
    const rig = new SourceRig({ clock: systemClock, program })
    const url = `ssh://${userInfo().username}@127.0.0.1:${port}${repository.path}`
    const take = async (identity: string, knownHosts: string) => {
      rig.values.set("Secret/s", new Map(Object.entries({ identity, known_hosts: knownHosts })))
      const source = rig.open({ url, secret: "s" })
      return outcome(await source.read(new AbortController().signal))
    }
    expect(await take(ann.private, known(host))).toBe("complete 0")
    expect(await take(ann.private, known(other))).toBe("unreadable SPT-GIT-018")
    expect(await take(ann.private, "")).toBe("unreadable SPT-GIT-018")
    expect(await take(eve.private, known(host))).toBe("unreadable SPT-GIT-011")
    expect(await take("no key at all", known(host))).toBe("unreadable SPT-GIT-011")
  })
})
