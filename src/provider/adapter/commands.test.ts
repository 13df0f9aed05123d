import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Gate, guardWorld } from "../../actuator/guarded-world.ts"
import type { CommandRequest } from "../../contract/commands.ts"
import { worldWith } from "../missing-handles.ts"
import { type NodeCommands, nodeCommands } from "./commands.ts"

let base: string
let commands: NodeCommands
const never = new AbortController().signal

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "spt-commands-"))
  commands = nodeCommands()
})
afterEach(() => {
  commands.close()
  rmSync(base, { recursive: true, force: true })
})

const bash = (text: string, rest: Partial<CommandRequest> = {}): CommandRequest => ({
  argv: ["bash", "-c", text],
  ...rest,
})

async function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `it answered ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )
}

async function until(check: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !check(); tries++) await sleep(25)
  expect(check()).toBe(true)
}

describe("a program that is run once", () => {
  it("gets input and arguments as they are, and answers with code and both outputs", async () => {
    const request = { argv: ["bash", "-c", 'cat; echo "$1" >&2; exit 3', "-", "$(id); *"] }
    const result = await commands.run({ ...request, input: "in\n" }, never)
    expect(result).toEqual({ code: 3, stdout: "in\n", stderr: "$(id); *\n" })
  })

  it("sees nothing of the plane's environment but three harmless names", async () => {
    process.env.SETPOINT_PRIVATE = "secret"
    try {
      const { stdout } = await commands.look({ argv: ["env"], env: { MINE: "1" } }, never)
      const names = stdout
        .trim()
        .split("\n")
        .map((line) => line.split("=")[0])
      expect(names.sort()).toEqual(["LANG", "MINE", "PATH", "SHLVL"])
      expect((await commands.look({ argv: ["pwd"] }, never)).stdout).toBe("/\n")
      expect((await commands.look({ argv: ["pwd"], cwd: base }, never)).stdout).toBe(`${base}\n`)
    } finally {
      delete process.env.SETPOINT_PRIVATE
    }
  })

  it("is ended with everything it started when it takes too long or is called off", async () => {
    const pids = join(base, "pids")
    const text = `sleep 100 & echo $! > ${pids}; trap "" TERM; wait; wait`
    const late = await errorOf(commands.run(bash(text, { timeoutMs: 300 }), never))
    expect(late).toBe("cannot run bash: it took longer than 300 ms")
    const pid = Number(readFileSync(pids, "utf8"))
    await until(() => !existsSync(`/proc/${pid}/cmdline`) || readStat(pid) === "Z")
    const stop = new AbortController()
    const running = errorOf(commands.run(bash("sleep 100"), stop.signal))
    setTimeout(() => stop.abort(), 50)
    expect(await running).toContain("called off")
  })

  it("is an error, never a shortened answer, when it writes too much", async () => {
    const flood = bash("yes 0123456789", { outputBytesMax: 1000 })
    expect(await errorOf(commands.look(flood, never))).toContain("wrote more than 1000 bytes")
    const complaints = bash("yes >&2", { outputBytesMax: 1000 })
    expect(await errorOf(commands.look(complaints, never))).toContain("wrote more than")
  })

  it("is an error when it can't be started or is killed", async () => {
    expect(await errorOf(commands.run({ argv: ["/none/such"] }, never))).toContain("ENOENT")
    expect(await errorOf(commands.run(bash("kill -9 $$"), never))).toContain("ended by SIGKILL")
    expect(await errorOf(commands.run({ argv: ["a\0b"] }, never))).toContain("cannot run")
  })

  it("waits for its turn when many look at once", async () => {
    const all = Array.from({ length: 40 }, () => commands.look({ argv: ["true"] }, never))
    expect((await Promise.all(all)).every(({ code }) => code === 0)).toBe(true)
  })
})

describe("a program that stays", () => {
  const echo = bash('n=0; while read -r line; do n=$((n+1)); echo "$n:$line"; done')

  it("is started once and answers each line with one", async () => {
    const answers = Promise.all(["a", "b", "c"].map((text) => commands.ask(echo, text, never)))
    expect(await answers).toEqual(["1:a", "2:b", "3:c"])
    expect(await commands.tell(echo, "d", never)).toBe("4:d")
  })

  it("never gives one question the answer to another that was given up", async () => {
    const slow = bash('while read -r line; do sleep "$line"; echo "slept $line"; done')
    const stop = new AbortController()
    const given = errorOf(commands.ask(slow, "100", stop.signal))
    const next = commands.ask(slow, "0", never)
    stop.abort()
    expect(await given).toContain("called off")
    expect(await next).toBe("slept 0")
  })

  it("gets nothing that waited for its turn when a stop came meanwhile", async () => {
    const seen = join(base, "seen")
    const slow = bash(
      `while read -r line; do sleep "$line"; echo "$line" >> ${seen}; echo ok; done`,
    )
    let stopped = false
    const calls: string[] = []
    const gate: Gate = {
      enter(call) {
        if (stopped) throw new Error("everything is stopped")
        return calls.push(call)
      },
      leave: (_, outcome) => void calls.push(outcome),
    }
    const guarded = guardWorld(worldWith({ commands }), gate).commands
    const first = guarded.tell(slow, "0.3", never)
    const second = errorOf(guarded.tell(slow, "0.1", never))
    stopped = true
    expect(await first).toBe("ok")
    expect(await second).toBe("everything is stopped")
    expect(await commands.ask(slow, "0", never)).toBe("ok")
    expect(readFileSync(seen, "utf8")).toBe("0.3\n0\n")
    expect(calls).toEqual(["tell bash", "done"])
  })

  it("has ended before anybody hears that it was given up", async () => {
    const marker = join(base, "late")
    const stubborn = bash(
      `trap "sleep 0.3; touch ${marker}; exit" TERM; read -r l; sleep 100 & wait`,
    )
    const stop = new AbortController()
    const given = errorOf(commands.tell(stubborn, "a", stop.signal))
    await sleep(300)
    stop.abort()
    expect(await given).toContain("called off")
    expect(existsSync(marker)).toBe(true)
  })

  it("is started again after it died, and says why it died", async () => {
    const once = bash('read -r line; echo "$line"; read -r line; echo "broken" >&2; exit 7')
    expect(await commands.ask(once, "a", never)).toBe("a")
    expect(await errorOf(commands.ask(once, "b", never))).toContain("exit code 7: broken")
    expect(await commands.ask(once, "c", never)).toBe("c")
  })

  it("is replaced when it takes too long or talks without being asked", async () => {
    const mute = bash("sleep 100", { timeoutMs: 100 })
    expect(await errorOf(commands.ask(mute, "a", never))).toContain("took longer than 100 ms")
    const chatty = bash('while read -r line; do echo "$line"; echo more; done')
    expect(await commands.ask(chatty, "a", never)).toBe("a")
    await sleep(50)
    expect(await commands.ask(chatty, "b", never)).toBe("b")
  })

  it("is ended when the handle is closed", async () => {
    const pid = Number(await commands.ask(bash("read -r l; echo $$; sleep 100"), "a", never))
    commands.close()
    await until(() => readStat(pid) === "")
    expect(await errorOf(commands.ask(echo, "a", never))).toContain("closing")
  })
})

describe("a program that is followed", () => {
  it("gives its lines one by one until it ends", async () => {
    const lines: string[] = []
    const cause = await new Promise((resolve) => {
      commands.follow(bash("echo a; echo b; exit 2"), (line) => lines.push(line), resolve)
    })
    expect([lines, cause]).toEqual([["a", "b"], "it ended with exit code 2"])
  })

  it("is ended by closing it", async () => {
    const pid = await new Promise<number>((resolve) => {
      const followed = commands.follow(
        bash("echo $$; sleep 100"),
        (line) => {
          followed.close()
          resolve(Number(line))
        },
        () => {},
      )
    })
    await until(() => readStat(pid) === "")
  })
})

/** The kernel's letter for the process, or nothing when it is gone. */
function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] ?? ""
  } catch {
    return ""
  }
}
