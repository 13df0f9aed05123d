// Every example runs on a real plane: it converges, does what its README says, and its plan is
// empty afterwards.

import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { firewallTools } from "../e2e/firewall/net-rig.ts"
import { pidsRunning } from "../e2e/plane/process-rig.ts"
import { requireTool } from "../tools.ts"
import { ExamplePlane } from "./example-plane.ts"
import { page, root } from "./pages.ts"

const empty = 0
const tested: string[] = []
const execTools = requireTool("bash", "jq", "flock", "python3")
const firewall = firewallTools()
const dns = requireTool("named: -v", "tsig-keygen", "dig: -v", "nsupdate: -V")

describe("examples", { timeout: 180_000 }, () => {
  let open: ExamplePlane | undefined
  afterEach(() => open?.close())

  const begin = (example: string) => {
    const plane = new ExamplePlane(example)
    open = plane
    tested.push(example)
    return plane
  }

  it("01: a file is made, healed when it is broken, and then nothing is written", async () => {
    const plane = begin("01-one-file")
    plane.up("manifests")
    await plane.converged("default.manifests", 1)
    const declared = "Declared once, kept true.\n"
    expect(plane.content("motd")).toBe(declared)
    writeFileSync(plane.target("motd"), "something else\n")
    await plane.until(() => expect(plane.content("motd")).toBe(declared))
    chmodSync(plane.target("motd"), 0o600)
    await plane.until(() => expect(lstatSync(plane.target("motd")).mode & 0o777).toBe(0o644))
    rmSync(plane.target("motd"))
    await plane.until(() => expect(plane.content("motd")).toBe(declared))
    await plane.converged("default.manifests", 1)
    expect(await plane.plan("manifests")).toBe(empty)
    await plane.quiet()
  })

  it("02: forty removed manifests delete nothing until a person approves", async () => {
    const plane = begin("02-a-hundred-files")
    expect((await plane.run(`${plane.example}/generate`)).code).toBe(0)
    plane.up("manifests")
    await plane.converged("default.manifests", 100)
    expect(await plane.plan("manifests")).toBe(empty)
    const manifests = join(plane.here, plane.example, "manifests")
    const remove = () => {
      const doomed = readdirSync(manifests).filter((name) => /^page-[0-3]/.test(name))
      for (const name of doomed) rmSync(join(manifests, name))
    }
    remove()
    await plane.until(async () => expect((await plane.pending())?.summary).toBe("40 deletes"))
    expect(readdirSync(plane.targets)).toHaveLength(100)
    expect((await plane.run(`${plane.example}/generate`)).code).toBe(0)
    await plane.until(async () => expect(await plane.pending()).toBeUndefined())
    await plane.converged("default.manifests", 100)
    remove()
    await plane.until(async () => expect((await plane.pending())?.summary).toBe("40 deletes"))
    const plan = await plane.pending()
    if (plan !== undefined) await plane.approve(plan)
    await plane.converged("default.manifests", 60)
    expect(readdirSync(plane.targets)).toHaveLength(60)
    expect(await plane.plan("manifests")).toBe(empty)
  })

  it("03: Observe makes nothing, Propose waits, Enforce acts", async () => {
    const plane = begin("03-modes")
    plane.up(".")
    await plane.converged("default.enforce", 1)
    await plane.until(async () => expect((await plane.pending())?.summary).toBe("1 create"))
    expect(plane.content("note-enforce.txt")).toBe("From the loop enforce.\n")
    expect(plane.content("note-observe.txt")).toBe("(absent)")
    expect(plane.content("note-propose.txt")).toBe("(absent)")
    const plan = await plane.pending()
    if (plan !== undefined) await plane.approve(plan)
    await plane.converged("default.propose", 1)
    expect(plane.content("note-propose.txt")).toBe("From the loop propose.\n")
    expect(plane.content("note-observe.txt")).toBe("(absent)")
  })

  it("04: directories, links and bytes are made in any order", async () => {
    const plane = begin("04-directory-and-symlinks")
    plane.up("manifests")
    await plane.converged("default.manifests", 4)
    expect(lstatSync(plane.target("conf.d")).mode & 0o777).toBe(0o750)
    expect(readlinkSync(plane.target("conf.d/current"))).toBe("site-v2.conf")
    expect(plane.content("conf.d/current")).toBe("listen 8080\n")
    expect(readFileSync(plane.target("conf.d/dot.gif")).subarray(0, 6).toString()).toBe("GIF89a")
    expect(await plane.plan("manifests")).toBe(empty)
  })

  it("05: what exists is adopted only when someone says so, and its content is kept", async () => {
    const plane = begin("05-adopt")
    const byHand = "made by hand\n"
    for (const name of ["adopt-me", "ask-first", "same"]) writeFileSync(plane.target(name), byHand)
    plane.up("manifests")
    await plane.until(() => expect(plane.content("adopt-me")).toBe("made by Setpoint\n"))
    const backups = join(plane.data, "backups")
    const kept = readdirSync(backups).map((name) => readFileSync(join(backups, name), "utf8"))
    expect(kept).toEqual([byHand])
    await plane.until(async () => expect((await plane.pending())?.summary).toBe("1 adopt"))
    expect(plane.content("ask-first")).toBe(byHand)
    const adopt = `cd ${plane.example} && setpoint adopt file ask-first`
    expect((await plane.run(adopt)).code).toBe(0)
    await plane.converged("default.manifests", 3)
    expect(plane.content("ask-first")).toBe("made by Setpoint\n")
    expect(plane.content("same")).toBe(byHand)
    rmSync(join(plane.here, plane.example, "manifests", "same.yaml"))
    await plane.converged("default.manifests", 2)
    expect(plane.content("same")).toBe(byHand)
    expect(await plane.plan("manifests")).toBe(empty)
    const { text } = page("docs/reference/data-directory.md")
    const explained = readdirSync(plane.data).filter((name) => !/-journal$/.test(name))
    for (const name of explained) expect(text).toMatch(new RegExp(`\`${name}/?\``))
  })

  it("06: a loop with limits of its own holds every delete and leaves drift", async () => {
    const plane = begin("06-limits")
    plane.up(".")
    await plane.converged("default.careful", 2)
    writeFileSync(plane.target("limits-a"), "changed\n")
    rmSync(join(plane.here, plane.example, "manifests", "b.yaml"))
    await plane.until(async () => expect((await plane.pending())?.summary).toBe("1 delete"))
    expect(plane.content("limits-b")).toBe("b\n")
    expect(plane.content("limits-a")).toBe("changed\n")
  })

  it("07: the last admin stays until there is another", async () => {
    const plane = begin("07-invariants")
    plane.up("manifests")
    await plane.converged("default.manifests", 3)
    const manifest = (name: string) => join(plane.here, plane.example, "manifests", `${name}.yaml`)
    const appoint = (name: string, role: string) => {
      const text = readFileSync(manifest(name), "utf8")
      writeFileSync(manifest(name), text.replace(/role: \w+/, `role: ${role}`))
    }
    const shows = async (command: string) =>
      (await plane.run(`cd ${plane.example} && setpoint ${command}`)).output
    await plane.until(async () => expect(await shows("get invariants")).toContain("Holding"))
    appoint("ann", "user")
    const why = "it would break invariant one-admin"
    await plane.until(async () => expect(await shows("explain file ann")).toContain(why))
    expect(plane.content("ann")).toBe("role: admin\n")
    appoint("bob", "admin")
    await plane.until(() => expect(plane.content("ann")).toBe("role: user\n"))
    await plane.converged("default.manifests", 3)
    expect(await plane.plan("manifests")).toBe(empty)
    rmSync(manifest("bob"))
    await plane.until(async () => expect(await shows("history --limit 5")).toContain("source"))
    expect(plane.content("bob")).toBe("role: admin\n")
  })

  it.skipIf(execTools.missing)("22: programs in bash and Python keep their kinds", async () => {
    const plane = begin("22-exec")
    expect((await plane.run(`${plane.example}/prepare`)).code).toBe(0)
    const programs = "--exec-provider setting=$PWD/setting --exec-provider flag=$PWD/flag"
    plane.start(`cd ${plane.example} && exec setpoint up manifests ${programs}`)
    await plane.converged("default.manifests", 3)
    expect(plane.content("app.conf").split("\n").sort()).toEqual([
      ...["", "debug=no", "port=8080", "workers=4"],
    ])
    writeFileSync(plane.target("app.conf"), "port=9\ndebug=yes\n")
    await plane.look()
    await plane.until(() => expect(plane.content("app.conf")).toContain("port=8080"))
    await plane.until(() => expect(plane.content("app.conf")).toContain("workers=4"))
    expect(plane.content("app.conf")).toContain("debug=yes")
    await plane.converged("default.manifests", 3)
    const remove =
      'import sqlite3; db = sqlite3.connect("flags.db"); db.execute("DELETE FROM flags")'
    const at = `cd ${plane.targets} && python3 -c '${remove}; db.commit()'`
    expect((await plane.run(at)).code).toBe(0)
    const rows = `python3 -c 'import sqlite3
print(sqlite3.connect("flags.db").execute("SELECT name FROM flags").fetchall())'`
    const left = async () => (await plane.run(`cd ${plane.targets} && ${rows}`)).output
    await plane.until(async () => expect(await left()).toContain("dark-mode"))
    await plane.converged("default.manifests", 3)
    expect(await plane.plan(`manifests ${programs}`)).toBe(empty)
    const { output } = await plane.run(`cd ${plane.example} && setpoint get settings,flags`)
    expect(output).toMatch(/port +True +Converged +8080/)
    expect(output).toMatch(/dark-mode +True +Converged +true/)
  })

  it.skipIf(dns.missing)("23: records are made, healed, and the others left alone", async () => {
    const plane = begin("23-dns")
    const dig = async (name: string, type: string) =>
      (await plane.run(`dig @127.0.0.1 -p 15353 +short ${name}.example.org ${type}`)).output
    try {
      expect((await plane.run(`${plane.example}/prepare`)).code).toBe(0)
      plane.up("manifests")
      await plane.converged("default.manifests", 5)
      const www = "192.0.2.10\n192.0.2.11"
      const sorted = async () => (await dig("www", "A")).trim().split("\n").sort().join("\n")
      expect(await sorted()).toBe(www)
      expect(await dig("_setpoint-a.www", "TXT")).toContain("heritage=setpoint")
      const key = join(plane.targets, "bind/setpoint.key")
      const edit = "server 127.0.0.1 15353\nupdate delete www.example.org 300 A 192.0.2.11\nsend"
      expect((await plane.run(`printf '${edit}\n' | nsupdate -k ${key}`)).code).toBe(0)
      await plane.until(async () => {
        await plane.look()
        expect(await sorted()).toBe(www)
      })
      expect((await dig("old", "A")).trim()).toBe("192.0.2.99")
      await plane.converged("default.manifests", 5)
      expect(await plane.plan("manifests")).toBe(empty)
    } finally {
      await plane.run(`${plane.example}/remove`)
    }
  })

  it.skipIf(firewall.missing)("24: one sentence is kept as rules on two hosts", async () => {
    const plane = begin("24-firewall")
    const inDb = (command: string) => plane.run(`ip netns exec example-db ${command}`)
    try {
      expect((await plane.run(`${plane.example}/prepare`)).code).toBe(0)
      plane.up("manifests")
      await plane.converged("default.manifests", 5)
      const { output } = await inDb("nft list ruleset")
      expect(output).toContain("web may reach db")
      const table = /table inet (setpoint_shop_\w+)/.exec(output)?.[1] ?? ""
      await inDb(`nft add rule inet ${table} input tcp dport 23 accept`)
      const rules = async () => (await inDb("nft list ruleset")).output
      await plane.until(async () => expect(await rules()).not.toContain("dport 23"))
      await plane.converged("default.manifests", 5)
      expect(await plane.plan("manifests")).toBe(empty)
    } finally {
      await plane.run(`${plane.example}/remove`)
    }
  })

  it("26: a quota that is lowered takes the least important back, saved", async () => {
    const plane = begin("26-quota")
    const running = () => pidsRunning(["/bin/sleep", "1000000"], `OUT=${plane.targets}`)
    try {
      plane.up("manifests")
      await plane.converged("default.manifests", 18)
      await plane.until(() => expect(running()).toHaveLength(6))
      expect(await plane.plan("manifests")).toBe(empty)
      const { output } = await plane.run(`cd ${plane.example} && setpoint get workloads`)
      expect(output).toMatch(/sweep-b +False +QuotaExceeded/)
      const tenants = "26-quota/manifests/tenants.yaml"
      await plane.run(`sed -i 's/nominal: 10/nominal: 6/' ${tenants}`)
      await plane.until(() => expect(running()).toHaveLength(4))
      await plane.until(() => expect(plane.content("serve-b.saved")).toMatch(/^rack/))
      expect(plane.content("notebook.saved")).toMatch(/^rack/)
      expect(plane.content("train.saved")).toBe("(absent)")
    } finally {
      for (const pid of running()) process.kill(-pid, "SIGKILL") // They outlive the plane.
    }
  })

  it("are all tested", () => {
    const examples = readdirSync(join(root, "examples")).filter((name) => /^\d/.test(name))
    // 10 is a provider; test/conformance/provider-example.test.ts runs it. 21 changes its host;
    // test/e2e/everyday-script.test.ts runs it in namespaces of its own. 25 is made of modules;
    // test/e2e/database-cluster.test.ts runs it where they are. 20 is in
    // test/docs/process-set-example.test.ts, since its processes outlive their plane.
    const elsewhere = [
      ...[
        "10-own-provider",
        "20-process",
        "21-host",
        "25-composition",
        ...(execTools.missing ? ["22-exec"] : []),
      ],
      ...(firewall.missing ? ["24-firewall"] : []),
      ...(dns.missing ? ["23-dns"] : []),
    ]
    expect([...new Set([...tested, ...elsewhere])].sort()).toEqual(examples.sort())
  })
})
