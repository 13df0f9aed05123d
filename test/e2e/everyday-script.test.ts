// The script that everybody has, as a loop: three users and two firewall rules, from
// examples/21-host. A real plane keeps them in namespaces of its own with a private copy of /etc;
// nothing of this host is touched, and that is looked at, too.

import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { requireTool } from "../tools.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

const tools = requireTool(
  "unshare: -m -n mount -t tmpfs none /mnt",
  ...["nsenter", "nft", "ip", "useradd", "userdel", "setpriv"],
)
const example = fileURLToPath(new URL("../../examples/21-host/manifests/", import.meta.url))
const host = () => ["passwd", "group", "shadow"].map((name) => readFileSync(`/etc/${name}`, "utf8"))

let rig: PlaneRig
let before: readonly string[]

/**
 * As somebody would by hand, in the plane's namespaces. The tools wait for one another; what they
 * complain about (bob has no mail) is shown only when they fail.
 */
const byHand = (...argv: readonly string[]): string =>
  execFileSync("nsenter", ["-t", String(rig.pid), "-m", "-n", ...argv], {
    ...{ encoding: "utf8", timeout: 60_000, stdio: ["ignore", "pipe", "pipe"] },
  })

const inEtc = (name: string) => readFileSync(rig.seen(`/etc/${name}`), "utf8")
const line = (file: string, name: string) =>
  inEtc(file)
    .split("\n")
    .find((one) => one.startsWith(`${name}:`))
const ours = /^(ann|bob|eve|crew):/
/** Every line of the account files that is about somebody else. */
const others = () =>
  ["passwd", "group", "shadow"].map((file) =>
    inEtc(file)
      .split("\n")
      .filter((one) => !ours.test(one)),
  )
const rules = () => byHand("nft", "list", "table", "inet", "setpoint_host")

describe.skipIf(tools.missing)(`the everyday script as a loop ${tools.name}`, () => {
  let foreign: ReturnType<typeof others>

  beforeAll(async () => {
    before = host()
    rig = new PlaneRig()
    cpSync(example, rig.site, { recursive: true })
    const copy = join(rig.base, "etc")
    const mounts = `cp -a /etc ${copy}
mount --bind ${copy} /etc
for directory in /home /var/mail /var/log; do mount -t tmpfs none $directory; done
useradd -m -s /bin/sh carol`
    const network = ["unshare", "-n", "sh", "-ec", 'ip link set lo up; exec "$@"', "sh"]
    await rig.start({ mounts, prefix: network })
    foreign = others()
    await rig.converged(6)
  })

  afterAll(() => rig?.close())

  it("makes three users and two rules", () => {
    expect(line("passwd", "ann")).toMatch(/:Ann Example:\/home\/ann:\/bin\/bash$/)
    expect(line("group", "crew")).toMatch(/:(ann,bob|bob,ann)$/)
    expect(line("passwd", "eve")).toMatch(/:\/usr\/sbin\/nologin$/)
    const keys = readFileSync(rig.seen("/home/ann/.ssh/authorized_keys"), "utf8")
    expect(keys).toMatch(/^ssh-ed25519 \S+ ann@laptop\n$/)
    expect(byHand("stat", "-c", "%U %a", "/home/ann/.ssh")).toBe("ann 700\n")
    expect(rules()).toMatch(/dport 22 .*accept[\s\S]*dport 23 .*drop/)
    expect(inEtc("cron.d/setpoint-backup")).toContain("15 3 * * mon-fri root tar -C /")
  })

  it("brings back the user whom somebody deleted by hand", async () => {
    byHand("userdel", "-r", "bob")
    expect(line("passwd", "bob")).toBeUndefined()
    const ms = await waitFor("bob comes back", () => line("passwd", "bob") !== undefined)
    console.info(`the deleted user was back after ${Math.round(ms)} ms`)
    await waitFor("bob is in the crew", () =>
      /:(ann,bob|bob,ann)$/.test(line("group", "crew") ?? ""),
    )
  })

  it("takes back what somebody changed by hand", async () => {
    byHand("usermod", "-s", "/bin/sh", "-aG", "sudo", "ann")
    byHand("nft", "flush", "chain", "inet", "setpoint_host", "input")
    byHand("sh", "-c", "echo '* * * * * root evil' >> /etc/cron.d/setpoint-backup")
    await waitFor("the shell is back", () => /:\/bin\/bash$/.test(line("passwd", "ann") ?? ""))
    await waitFor("she is no sudoer", () => !/\bann\b/.test(line("group", "sudo") ?? ""))
    await waitFor("the rules are back", () => rules().includes("dport 23"))
    await waitFor("the job is gone", () => !inEtc("cron.d/setpoint-backup").includes("evil"))
  })

  it("disables a user who is not declared any more, and keeps the home", async () => {
    const path = join(rig.site, "users.yaml")
    const manifests = readFileSync(path, "utf8").split("---\n")
    writeFileSync(path, manifests.filter((text) => !text.includes("name: eve")).join("---\n"))
    const fields = () => line("shadow", "eve")?.split(":") ?? []
    await waitFor("eve is disabled", () => {
      return fields()[7] === "2" && fields()[1]?.startsWith("!") === true
    })
    expect(byHand("stat", "-c", "%U", "/home/eve")).toBe("eve\n")
    await rig.converged(5)
  })

  it("holds a system account that somebody declares, and never touches it", async () => {
    const spec = { name: "daemon", shell: "/bin/bash" }
    const object = {
      apiVersion: "host.setpoint.dev/v1",
      kind: "User",
      metadata: { name: "daemon" },
    }
    writeFileSync(rig.manifest("daemon"), JSON.stringify({ ...object, spec }))
    await waitFor("it asks first", async () => (await rig.pendingPlan())?.summary === "1 adopt")
    rmSync(rig.manifest("daemon"))
    await rig.converged(5)
  })

  it("touches nobody else's user, neither there nor on this host", async () => {
    expect(others()).toEqual(foreign)
    expect(line("passwd", "carol")).toMatch(/:\/bin\/sh$/)
    expect(host()).toEqual(before)
  })
})
