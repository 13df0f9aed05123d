// Programs that answer badly: whatever they print, nothing is taken for absent, done or failed that
// was not said in a valid answer.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { disarm } from "../../base/protections.ts"
import { systemClock } from "../../base/system.ts"
import { finishAction } from "../../contract/action.ts"
import type { Observation } from "../../contract/observation.ts"
import type { ActContext, ActResult, KindProvider, Target } from "../../contract/provider.ts"
import { nodeCommands } from "../../provider/adapter/commands.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { checkProgram } from "./adapter/check-program.ts"
import { loadPrograms } from "./load-programs.ts"

const commands = nodeCommands()
const world = worldWith({ commands })
const signal = new AbortController().signal
let base: string

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "spt-exec-"))
})
afterAll(() => {
  commands.close()
  rmSync(base, { recursive: true, force: true })
})

/** Answers describe with `described` and everything else with what the file `answer` runs. */
function program(described: JsonObject): string {
  const path = join(base, "program")
  writeFileSync(join(base, "describe"), `${JSON.stringify(described)}\n`)
  const text = `#!/bin/sh
read -r line
case $line in *'"verb":"describe"'*) cat ${base}/describe; exit 0;; esac
id=$(echo "$line" | sed 's/.*"id":"\\([0-9]*\\)".*/\\1/')
. ${base}/answer
`
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

const thing: JsonObject = {
  ...{ version: "v1", kind: "Thing", identity: ["name"] },
  schema: {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, password: { type: "string" } },
  },
}
const version = "exec.setpoint.dev/v1"
const describing = (kind: JsonObject): JsonObject => ({
  ...{ apiVersion: version, status: "ok", kinds: [kind] },
})

async function load(kind: JsonObject = thing): Promise<KindProvider> {
  const path = program(describing(kind))
  const [loaded] = await loadPrograms([{ name: "things", path }], commands, systemClock)
  if (loaded === undefined) throw new Error("no kind")
  return loaded
}

/** What the program does with a request; "ID" stands for the request's id. */
const answers = (script: string) => writeFileSync(join(base, "answer"), script)
const says = (reply: JsonObject, after = "") => {
  const text = JSON.stringify({ apiVersion: version, id: "ID", ...reply })
  answers(`echo '${text}' | sed "s/ID/$id/"\n${after}`)
}

const target: Target = {
  ...{ uid: "u-1", object: "things/default/a", desired: { name: "a" }, identity: "a" },
}

async function look(kind: KindProvider): Promise<Observation> {
  try {
    const seen = await kind.observe?.(target, { world, signal })
    return seen ?? { kind: "unknown", cause: "no observe" }
  } catch (error) {
    return { kind: "unknown", cause: error instanceof Error ? error.message : String(error) }
  }
}

function act(
  kind: KindProvider,
  verb: "create" | "update" | "delete",
  token = "t",
): Promise<ActResult> {
  const action = finishAction({
    ...{ verb, uid: "u-1", object: target.object, kind: "Thing", loop: "default.default" },
    ...{ generation: 1, incarnation: 1, changes: [], target: "things||a" },
    cause: { kind: "edit", text: "test" },
  })
  const context: ActContext = { world, signal, action, token, idempotencyKey: "u-1-1" }
  return kind[verb](target, context)
}

const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `it answered ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )

describe("an answer that is not one", () => {
  it("is unknown, and never absent, done or failed", async () => {
    const kind = await load()
    const absentText = `{"apiVersion":"${version}","id":"'$id'","status":"absent"}`
    const bad = [
      "exit 0",
      "echo not json",
      "echo '[]'",
      `echo '${absentText}'; exit 3`,
      `echo '${absentText}'; kill -9 $$`,
      `echo '${absentText}' '${absentText}'`,
      `echo '{"apiVersion":"${version}","id":"0","status":"absent"}'`,
      `echo '{"apiVersion":"exec.setpoint.dev/v2","id":"'$id'","status":"absent"}'`,
      `echo '{"apiVersion":"${version}","id":"'$id'","status":"gone"}'`,
      `echo '{"apiVersion":"${version}","id":"'$id'","status":"ok","__proto__":{}}'`,
    ]
    for (const script of bad) {
      answers(script)
      expect([script, (await look(kind)).kind]).toEqual([script, "unknown"])
      expect(await errorOf(act(kind, "delete"))).toContain("cannot delete by the program things")
    }
  })

  it("would be an absence without the check of the exit code", async () => {
    const kind = await load()
    says({ status: "absent" }, "exit 1")
    expect((await look(kind)).kind).toBe("unknown")
    const rearm = disarm("exec-answer-needs-exit-zero")
    try {
      expect((await look(kind)).kind).toBe("absent")
    } finally {
      rearm()
    }
  })
})

describe("an answer", () => {
  it("becomes a fact with the program's own words", async () => {
    const kind = await load()
    says({ status: "absent", message: "not in the list" })
    expect(await look(kind)).toEqual({ kind: "absent", proof: "not in the list" })
    says({ status: "error", message: "no such key", stuck: true, class: "Permission" })
    const failure = { class: "Permission" }
    expect(await look(kind)).toEqual({
      ...{ kind: "unknown", cause: "no such key", stuck: true, failure },
    })
    const observed = { name: "a", secret: { key: "k", id: 1 } }
    const more = { outputs: { address: "::1" }, sensitivePaths: ["secret.key"], externalId: "x7" }
    says({ status: "ok", observed, token: "t1", ...more })
    expect(await look(kind)).toEqual({
      ...{ kind: "present", token: "t1", externalId: "x7" },
      value: { name: "a", secret: { id: 1 } },
      outputs: { address: "::1" },
    })
    says({ status: "ok", observed })
    expect(await look(kind)).toMatchObject({ kind: "unknown", stuck: true })
  })

  it("becomes a result, and doubt is thrown", async () => {
    const kind = await load()
    says({ status: "ok", message: "made", externalId: "x7" })
    expect(await act(kind, "create")).toEqual({ kind: "done", note: "made", externalId: "x7" })
    says({ status: "absent" })
    expect((await act(kind, "delete")).kind).toBe("done")
    expect((await act(kind, "update")).kind).toBe("failed")
    says({ status: "error", message: "name is taken", stuck: true })
    expect(await act(kind, "create")).toEqual({
      ...{ kind: "failed", cause: "name is taken", stuck: true },
    })
    says({ status: "unknown", message: "the line broke" })
    expect(await errorOf(act(kind, "create"))).toBe("the line broke")
  })

  it("keeps a program alone for as long as it asks", async () => {
    const kind = await load()
    says({ status: "unknown", message: "busy", retryAfter: 3600 })
    expect(await look(kind)).toMatchObject({ cause: "busy" })
    says({ status: "ok" })
    expect(await look(kind)).toMatchObject({ kind: "unknown" })
    expect(await act(kind, "create")).toMatchObject({ kind: "failed" })
  })
})

describe("a program that watches", () => {
  it("is one process for many, and is started again when it ends", async () => {
    const kind = await load({ ...thing, watch: true })
    const starts = join(base, "starts")
    writeFileSync(starts, "")
    answers(`echo . >> ${starts}; echo changed; sleep 0.2; exit 1`)
    const hints: string[] = []
    const one = kind.watch?.(target, world, () => hints.push("one"))
    const two = kind.watch?.(target, world, () => hints.push("two"))
    const count = () => readFileSync(starts, "utf8").trim().split("\n").length
    for (let tries = 0; tries < 200 && (count() < 2 || hints.length < 6); tries++) await sleep(25)
    expect(count()).toBe(2)
    expect(hints.slice(0, 2)).toEqual(["one", "two"])
    one?.close()
    two?.close()
    await sleep(100)
    const known = hints.length
    await sleep(100)
    expect(hints).toHaveLength(known)
  })
})

describe("a program without tokens", () => {
  it("is read again right before an act, which is refused when something changed", async () => {
    const kind = await load({ ...thing, tokens: false })
    const observed = { name: "a" }
    says({ status: "ok", observed })
    expect((await look(kind)).kind).toBe("present")
    expect(await act(kind, "update")).toMatchObject({ kind: "failed" })
    expect(await act(kind, "create")).toMatchObject({ kind: "failed" })
    says({ status: "absent" })
    expect((await act(kind, "delete")).kind).toBe("done")
  })
})

describe("a program without tokens that lists", () => {
  const listing = { ...thing, tokens: false, list: { scope: [] } }
  const whole = (...items: JsonObject[]) => ({ status: "ok", complete: true, items })
  const itemsOf = async (kind: KindProvider) =>
    (await kind.list?.("", target, { world, signal }))?.items ?? []

  /** Lists what it is told, and notes every act that reaches it. */
  const lists = (reply: JsonObject) => {
    const text = JSON.stringify({ apiVersion: version, id: "ID", ...reply })
    const done = JSON.stringify({ apiVersion: version, id: "ID", status: "ok" })
    answers(`case $line in
*'"verb":"list"'*) echo '${text}' | sed "s/ID/$id/";;
*) echo "$line" >> ${base}/acts; echo '${done}' | sed "s/ID/$id/";;
esac`)
  }
  const acts = () => readFileSync(join(base, "acts"), "utf8").trim().split("\n").filter(Boolean)

  it("is listed again right before an act, which is refused when the item changed", async () => {
    const kind = await load(listing)
    writeFileSync(join(base, "acts"), "")
    lists(whole({ observed: { name: "a", size: 1 } }, { observed: { name: "b" } }))
    const [{ token = "" } = {}] = await itemsOf(kind)
    lists(whole({ observed: { name: "a", size: 2 } }))
    expect(await act(kind, "update", token)).toMatchObject({
      ...{ kind: "failed", cause: "it changed since it was observed" },
    })
    expect(await act(kind, "delete", token)).toMatchObject({ kind: "failed" })
    expect(await act(kind, "create")).toMatchObject({ kind: "failed" })
    expect(acts()).toEqual([])
    lists(whole({ observed: { name: "a", size: 1 } }))
    expect(await act(kind, "update", token)).toEqual({ kind: "done" })
    expect(acts()).toHaveLength(1)
    expect(acts()[0]).toContain('"observed":{"name":"a","size":1}')
    lists(whole())
    expect(await act(kind, "update", token)).toMatchObject({ kind: "failed" })
    expect(await act(kind, "create")).toEqual({ kind: "done" })
    expect(await act(kind, "delete", token)).toEqual({ kind: "done" })
    expect(acts()).toHaveLength(2)
  })

  it("takes no part of a list for an absence or for a ground to delete", async () => {
    const kind = await load(listing)
    writeFileSync(join(base, "acts"), "")
    const part = { status: "ok", complete: false, message: "only one page", items: [] }
    lists(part)
    expect(await act(kind, "create")).toMatchObject({ kind: "failed", cause: "only one page" })
    expect(await act(kind, "delete")).toMatchObject({ kind: "failed", cause: "only one page" })
    lists({ ...part, items: [{ observed: { name: "a" } }] })
    const [{ token = "" } = {}] = await itemsOf(kind)
    expect(await act(kind, "delete", token)).toMatchObject({ kind: "failed" })
    expect(acts()).toEqual([])
    expect(await act(kind, "update", token)).toEqual({ kind: "done" })
  })
})

describe("the token that stands in for a missing one", () => {
  it("is made of nothing secret, and of everything else", async () => {
    const tokenOf = async (observed: JsonObject, sensitivePaths: string[] = []) => {
      says({ status: "ok", observed, sensitivePaths })
      const seen = await look(kind)
      return seen.kind === "present" ? seen.token : seen.kind
    }
    let kind = await load({ ...thing, tokens: false })
    const first = await tokenOf({ name: "a", key: "one" }, ["key"])
    expect(await tokenOf({ name: "a", key: "two" }, ["key"])).toBe(first)
    expect(await tokenOf({ name: "b", key: "one" }, ["key"])).not.toBe(first)
    kind = await load({ ...thing, tokens: false, sensitivePaths: ["password"] })
    const second = await tokenOf({ name: "a", password: "one" })
    expect(await tokenOf({ name: "a", password: "two" })).toBe(second)
  })
})

describe("a program that an operator names", () => {
  it("describes a real kind, with its secrets marked", async () => {
    const kind = await load({ ...thing, sensitivePaths: ["password"] })
    expect([kind.group, kind.kind, kind.provider]).toEqual([
      ...["things.exec.setpoint.dev", "Thing", "exec-things"],
    ])
    expect(kind.secretPaths).toEqual(["password"])
    expect(kind.replaceOn).toEqual(["name"])
  })

  it.each<[string, JsonObject]>([
    ["the group apps.k8s.io is not free", { group: "apps.k8s.io" }],
    ["the group host.setpoint.dev is not free", { group: "host.setpoint.dev" }],
    ["sensitivePaths names pin", { sensitivePaths: ["pin"] }],
    ["`kinds.0.identity`", { identity: [] }],
    ["cannot define kind Thing", { version: "one" }],
    ["cannot use the schema of Thing", { schema: { type: "array" } }],
  ])("is refused at start: %s", async (cause, changed) => {
    expect(await errorOf(load({ ...thing, ...changed }))).toContain(cause)
  })

  it("is refused when it can't be run or others can change it", () => {
    const path = program(describing(thing))
    const problem = (mode: number, at = path) => {
      chmodSync(path, mode)
      try {
        checkProgram({ name: "things", path: at })
        return ""
      } catch (error) {
        return error instanceof Error ? error.message : ""
      }
    }
    expect(problem(0o755)).toBe("")
    expect(problem(0o757)).toContain("everyone can change")
    expect(problem(0o644)).toContain("not executable")
    expect(problem(0o755, "program")).toContain("not an absolute path")
    expect(problem(0o755, join(base, "none"))).toContain("there is no file")
  })
})
