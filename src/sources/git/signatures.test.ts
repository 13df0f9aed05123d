import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { requireTool } from "../../../test/tools.ts"
import { disarm } from "../../base/protections.ts"
import { systemClock } from "../../base/system.ts"
import type { GitRef, GitVerify } from "../../contract/git-source.ts"
import { nodeGit } from "./adapter/node-git.ts"
import { GitRepository } from "./adapter/testing/git-repository.ts"
import { outcome, SourceRig } from "./testing/source-rig.ts"

const ssh = requireTool("ssh-keygen")
const gpg = requireTool("gpg: --version")

let repository: GitRepository
let rig: SourceRig
const files = { "README.md": "nothing" }

beforeAll(() => {
  repository = new GitRepository()
})

beforeEach(() => {
  rig = new SourceRig({ clock: systemClock, program: nodeGit(join(repository.home, "data")) })
})

afterAll(() => repository.remove())

/** Each in a history of its own. */
const commit = (sign?: readonly string[]) =>
  repository.commit(files, { parent: "none", ...(sign === undefined ? {} : { sign }) })

async function take(what: GitVerify["what"] = "Commit", ref: GitRef = { branch: "main" }) {
  const verify: GitVerify = { signers: { kind: "ConfigMap", name: "signers" }, what }
  const source = rig.open({ url: repository.url, ref, verify, allowRewrite: true })
  return source.read(new AbortController().signal)
}

const signers = (values: Readonly<Record<string, string>>) =>
  rig.values.set("ConfigMap/signers", new Map(Object.entries(values)))

describe.skipIf(ssh.missing)("a commit signed with SSH", () => {
  let ann: ReturnType<GitRepository["sshKey"]>
  let eve: ReturnType<GitRepository["sshKey"]>

  beforeAll(() => {
    ann = repository.sshKey("ann@example.com")
    eve = repository.sshKey("eve@example.com")
  })

  it("is taken when an allowed signer signed it, and says who", async () => {
    commit(ann.sign)
    signers({ allowed_signers: ann.allowed })
    const snapshot = await take()
    expect(outcome(snapshot)).toBe("complete 0")
    expect(snapshot.kind === "complete" && snapshot.origin?.signer).toMatch(
      /^ann@example.com \(SHA256:/,
    )
  })

  it("is refused when it is not signed, or by somebody else, before its tree is read", async () => {
    signers({ allowed_signers: ann.allowed })
    // Its tree would be refused by itself, and is not what the answer is about.
    repository.commit({ link: { mode: "120000", content: "/etc/passwd" } }, { parent: "none" })
    expect(outcome(await take())).toBe("invalid SPT-GIT-022")
    commit(eve.sign)
    expect(outcome(await take())).toBe("invalid SPT-GIT-023")
  })

  it("is refused when its content is not what was signed", async () => {
    signers({ allowed_signers: ann.allowed })
    const good = repository.git(["cat-file", "commit", commit(ann.sign)])
    const forged = `${good.replace("Change", "Forged change")}\n`
    const id = repository.git(["hash-object", "-t", "commit", "-w", "--stdin"], forged)
    repository.git(["update-ref", "refs/heads/main", id])
    expect(outcome(await take())).toBe("invalid SPT-GIT-024")
  })

  it("is refused when the signer's key was valid at another time only", async () => {
    commit(ann.sign)
    const [name, ...key] = ann.allowed.split(" ")
    signers({ allowed_signers: `${name} valid-before="20200101" ${key.join(" ")}` })
    expect(outcome(await take())).toMatch(/^invalid SPT-GIT-02[34]$/)
  })

  it("is refused when the key counts for something else than git", async () => {
    commit(ann.sign)
    const [name, ...key] = ann.allowed.split(" ")
    signers({ allowed_signers: `${name} namespaces="file" ${key.join(" ")}` })
    expect(outcome(await take())).toMatch(/^invalid SPT-GIT-02[34]$/)
  })

  it("is not judged while nobody says whose signatures count", async () => {
    commit(ann.sign)
    expect(outcome(await take())).toBe("unreadable SPT-GIT-026")
    signers({ note: "no keys" })
    expect(outcome(await take())).toBe("unreadable SPT-GIT-026")
  })

  it("is refused when its signer is not allowed any more", async () => {
    commit(ann.sign)
    signers({ allowed_signers: ann.allowed })
    const verify: GitVerify = { signers: { kind: "ConfigMap", name: "signers" }, what: "Commit" }
    const source = rig.open({ url: repository.url, verify, allowRewrite: true })
    expect(outcome(await source.read(new AbortController().signal))).toBe("complete 0")
    signers({ allowed_signers: eve.allowed })
    expect(outcome(await source.read(new AbortController().signal))).toBe("invalid SPT-GIT-023")
  })

  it("would be taken unsigned without its protection", async () => {
    commit()
    signers({ allowed_signers: ann.allowed })
    const rearm = disarm("git-signature-before-tree")
    try {
      expect(outcome(await take())).toBe("complete 0")
    } finally {
      rearm()
    }
  })

  it("counts by its tag where that is enough, under the tag's own name only", async () => {
    signers({ allowed_signers: ann.allowed })
    repository.tag("v1.0.0", commit(), ann.sign)
    const ref = { tag: "v1.0.0" }
    expect(outcome(await take("TagOrCommit", ref))).toBe("complete 0")
    expect(outcome(await take("Commit", ref))).toBe("invalid SPT-GIT-022")
    const tag = repository.git(["rev-parse", "refs/tags/v1.0.0"])
    repository.git(["update-ref", "refs/tags/v9.0.0", tag])
    expect(outcome(await take("TagOrCommit", { tag: "v9.0.0" }))).toBe("invalid SPT-GIT-025")
    repository.tag("v1.0.1", commit(), eve.sign)
    expect(outcome(await take("TagOrCommit", { tag: "v1.0.1" }))).toBe("invalid SPT-GIT-023")
    repository.tag("v1.0.2", commit(ann.sign))
    expect(outcome(await take("TagOrCommit", { tag: "v1.0.2" }))).toBe("complete 0")
  })

  it("can't let its own source say whose signatures count", async () => {
    signers({ allowed_signers: ann.allowed })
    const own = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: signers }\ndata: {}\n`
    repository.commit({ "signers.yaml": own }, { parent: "none", sign: ann.sign })
    expect(outcome(await take())).toBe("invalid SPT-GIT-037")
  })
})

describe.skipIf(gpg.missing)("a commit signed with GPG", () => {
  it("is taken when its key is among the given ones, and no other", async () => {
    const [ann, eve] = [repository.gpgKey("ann"), repository.gpgKey("eve")]
    signers({ "ann.asc": ann.armored })
    commit(ann.sign)
    const snapshot = await take()
    expect(outcome(snapshot)).toBe("complete 0")
    expect(snapshot.kind === "complete" && snapshot.origin?.signer).toMatch(
      /^ann <ann@example.com>/,
    )
    commit(eve.sign)
    expect(outcome(await take())).toBe("invalid SPT-GIT-023")
    signers({ "ann.asc": ann.armored, "eve.asc": eve.armored })
    expect(outcome(await take())).toBe("complete 0")
  }, 30_000)
})
