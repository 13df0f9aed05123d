// The nets under a change of rules, each with its twin: what happens without exactly that one. On
// the real nft, with packets that go to a server in the same namespace.

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { disarm, type Protection } from "../../base/protections.ts"
import { systemClock } from "../../base/system.ts"
import type { CommandRequest } from "../../contract/commands.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { makeTemporaryPlace } from "../../provider/adapter/temporary-place.ts"
import { FirewallDriver, type FirewallInput } from "./testing/drive-firewall.ts"
import { missingForFirewall, Namespace } from "./testing/namespace.ts"

const missing = missingForFirewall()
const table = "setpoint_nets"
let space: Namespace
let server: ChildProcess
let driver: FirewallDriver
let place: Awaited<ReturnType<typeof makeTemporaryPlace>>
let armed: (() => void) | undefined

const without = (name: Protection) => {
  armed = disarm(name)
}

const accept = (id: string, port: number) => ({
  ...{ id, protocol: "tcp" as const, ports: [port], verdict: "accept" as const, counter: true },
})

const answers = { id: "answers", state: ["established"], verdict: "accept", counter: false }

/** Only these ports get in. */
const only = (ports: readonly number[], rest: object = {}): FirewallInput => ({
  ...{ table, host: { netns: space.name }, ...rest },
  chains: {
    input: {
      ...{ hook: "input", policy: "drop" },
      rules: [answers, ...ports.map((port) => accept(`p${port}`, port))],
    },
  },
})

const reaches = (port: number): boolean => {
  const connect = 'exec 3<>"/dev/tcp/127.0.0.1/$1"'
  const bash = ["timeout", "0.5", "bash", "-c", connect, "bash", String(port)]
  return spawnSync("ip", ["netns", "exec", space.name, ...bash]).status === 0
}

const isPending = (name: string) => name.includes(".pending.")

const listed = () => space.nft("list", "ruleset")

async function soon(condition: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 600 && !condition(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return condition()
}

const management = [{ from: "127.0.0.1", port: 22, interface: "lo" }]
const confirm = (port: number, withinSeconds: number) => ({
  confirm: { probe: { tcp: { address: "127.0.0.1", port }, from: "host" }, withinSeconds },
})

describe.skipIf(missing !== undefined)(`the nets of a firewall ${missing ?? ""}`, () => {
  beforeAll(async () => {
    space = new Namespace("nets")
    place = await makeTemporaryPlace()
    const text = `for (const port of [22, 80]) require("node:net").createServer((socket) => {
      socket.on("error", () => {})
    }).listen(port, () => console.log(port))`
    const args = ["netns", "exec", space.name, process.execPath, "-e", text]
    server = spawn("ip", args, { stdio: ["ignore", "pipe", "inherit"] })
    await new Promise((resolve) => server.stdout?.once("data", resolve))
    driver = new FirewallDriver(systemClock, `${place.directory}/firewall`)
  })
  afterAll(async () => {
    server?.kill("SIGKILL")
    space?.close()
    await place?.remove()
  })
  beforeEach(async () => {
    space.nft("flush", "ruleset")
    expect(await driver.act("create", only([22, 80]))).toMatchObject({ kind: "done" })
    expect(await soon(() => reaches(22))).toBe(true)
  })
  afterEach(() => {
    armed?.()
    armed = undefined
  })

  test("rules that cut a management path are refused, and nothing changes", async () => {
    const before = listed()
    const result = await driver.act("update", only([80], { management }))
    expect(result).toMatchObject({ kind: "failed", stuck: true })
    expect(listed()).toBe(before)
    expect(await soon(() => reaches(22))).toBe(true)
  })

  test("twin: without that check the path is cut", async () => {
    without("management-path-stays")
    const result = await driver.act("update", only([80], { management }))
    expect(result).toMatchObject({ kind: "done" })
    expect(reaches(22)).toBe(false)
  })

  test("rules under which the probe finds no way are taken back at once", async () => {
    const result = await driver.act("update", only([80], confirm(22, 1)))
    expect(result).toMatchObject({ kind: "failed", stuck: true })
    expect(await soon(() => reaches(22))).toBe(true)
    expect(await driver.act("update", only([22], confirm(22, 5)))).toMatchObject({ kind: "done" })
    expect(reaches(80)).toBe(false)
  })

  /** A rule that counts by name, and one that decides by a map: nothing of this we ever make. */
  function addByHand(): void {
    const text = `table inet ${table} {
      counter theirs { packets 7 bytes 8; }
      quota most { over 900 mbytes; }
      chain extra { tcp dport 9 counter name theirs drop; quota name most drop; }
      map ways { type inet_service : verdict; elements = { 9 : jump extra }; }
    }
    add rule inet ${table} input tcp dport vmap @ways`
    space.inside(["nft", "-f", "-"], text)
  }

  test("what others put into the table comes back with the rules that need it", async () => {
    addByHand()
    const before = listed()
    const result = await driver.act("update", only([80], confirm(22, 1)))
    expect(result).toMatchObject({ kind: "failed", stuck: true })
    expect(await soon(() => reaches(22))).toBe(true)
    const still = (text: string) =>
      text
        .replace(/packets .*|used .*/g, "")
        .split("\n")
        .sort()
    expect(still(listed())).toEqual(still(before))
  })

  test("a counter of ours that somebody gave a name is set right again", async () => {
    space.nft("add", "counter", "inet", table, "theirs")
    const [, handle = ""] =
      /dport 80 .*# handle (\d+)/.exec(space.nft("-a", "list", "ruleset")) ?? []
    const rule = ["tcp", "dport", "80", "counter", "name", "theirs", "accept"]
    const named = [...rule, "comment", '"setpoint:p80"']
    space.nft("replace", "rule", "inet", table, "input", "handle", handle, ...named)
    expect(await driver.act("update", only([22, 80]))).toMatchObject({ kind: "done" })
    expect(listed()).not.toContain("theirs")
    expect(await soon(() => reaches(80))).toBe(true)
  })

  test("a change from which there would be no way back is not begun", async () => {
    const real = nodeCommands()
    // As if nft did not understand its own words for something in the table.
    const run: typeof real.run = ({ input = "", ...request }, signal) =>
      real.run({ ...request, input: input.replace("{", "!") }, signal)
    const state = `${place.directory}/no-way-back`
    const doubting = new FirewallDriver(systemClock, state, { ...real, run })
    const before = listed()
    const result = await doubting.act("update", only([80], confirm(22, 1)))
    expect(result).toMatchObject({ kind: "failed" })
    expect(JSON.stringify(result)).toContain("would not take the rules that are there back")
    expect(listed()).toBe(before)
    expect(readdirSync(state)).toEqual([])
  })

  test("twin: without that they stay although there is no way", async () => {
    without("unproven-rules-go-back")
    expect(await driver.act("update", only([80], confirm(22, 3)))).toMatchObject({ kind: "done" })
    expect(reaches(22)).toBe(false)
  })

  /** The plane is gone the moment the rules are set. */
  async function dieAfterSetting(withinSeconds = 1): Promise<void> {
    const real = nodeCommands()
    const run: typeof real.run = async (request, signal) => {
      await real.run(request, signal)
      throw new Error("the process has crashed")
    }
    const dying = new FirewallDriver(systemClock, `${place.directory}/firewall`, { ...real, run })
    const wanted = only([80], confirm(22, withinSeconds))
    await expect(dying.act("update", wanted)).rejects.toThrow("crashed")
    expect(reaches(22)).toBe(false)
  }

  test("rules that nobody confirmed go back without the plane", async () => {
    await dieAfterSetting()
    expect(await soon(() => reaches(22))).toBe(true)
  })

  test("a change on rules that nobody confirmed goes back to those before them", async () => {
    await dieAfterSetting(60)
    const result = await driver.act("update", only([81], confirm(22, 1)))
    expect(result).toMatchObject({ kind: "failed", stuck: true })
    expect(await soon(() => reaches(22))).toBe(true)
    expect(await soon(() => reaches(80))).toBe(true)
  })

  test("a change that asks for no proof is not taken back for an older one", async () => {
    await dieAfterSetting(60)
    const waiting = () => readdirSync(`${place.directory}/firewall`).filter(isPending)
    expect(waiting()).toHaveLength(1)
    expect(await driver.act("update", only([22]))).toMatchObject({ kind: "done" })
    expect(waiting()).toEqual([])
  })

  test("twin: without the watchdog they stay", async () => {
    without("watchdog-outlives-the-plane")
    await dieAfterSetting()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(reaches(22)).toBe(false)
  })

  /** As root may, except that it may not. */
  function powerless(): FirewallDriver {
    const real = nodeCommands()
    const prefix = ["setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin"]
    const as = (request: CommandRequest) => ({ ...request, argv: [...prefix, ...request.argv] })
    const look: typeof real.look = (one, signal) => real.look(as(one), signal)
    return new FirewallDriver(systemClock, "/nowhere", { ...real, look })
  }

  test("a table that may not be listed is unknown, never absent", async () => {
    const seen = await powerless().observe(only([22, 80]))
    expect(seen).toMatchObject({ kind: "unknown", failure: { class: "Permission" } })
  })

  test("twin: without that it would be taken for gone", async () => {
    without("nft-error-is-not-absence")
    expect(await powerless().observe(only([22, 80]))).toMatchObject({ kind: "absent" })
  })

  test("a change on what somebody else changed meanwhile is refused", async () => {
    const seen = await driver.observe(only([22, 80]))
    space.nft("add", "rule", "inet", table, "input", "tcp", "dport", "81", "accept")
    const token = seen.kind === "present" ? seen.token : ""
    expect(await driver.act("update", only([22]), token)).toMatchObject({ kind: "failed" })
    expect(listed()).toContain("dport 81")
  })

  test("twin: without the check at the effect it is overwritten", async () => {
    without("rules-replaced-as-read")
    const seen = await driver.observe(only([22, 80]))
    space.nft("add", "rule", "inet", table, "input", "tcp", "dport", "81", "accept")
    const token = seen.kind === "present" ? seen.token : ""
    expect(await driver.act("update", only([22]), token)).toMatchObject({ kind: "done" })
    expect(listed()).not.toContain("dport 81")
  })

  test("counters of rules that stay are kept, and so are elements of others' sets", async () => {
    const sets = { banned: { type: "ipv4_addr" } }
    await driver.act("update", only([22, 80], { sets }))
    space.nft("add", "element", "inet", table, "banned", "{ 192.0.2.7 timeout 1h }")
    reaches(22)
    const count = () => /dport 22 counter packets (\d+)/.exec(listed())?.[1]
    const before = Number(count())
    expect(before).toBeGreaterThan(0)
    expect(await driver.observe(only([22, 80], { sets }))).toMatchObject({ kind: "present" })
    await driver.act("update", only([22], { sets }))
    expect(Number(count())).toBeGreaterThanOrEqual(before)
    expect(listed()).toContain("192.0.2.7 timeout 1h")
  })
})
