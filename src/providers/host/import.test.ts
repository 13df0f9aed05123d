// What a host has, as specs: what comes out is as declared at once, and no password is in it.

import { chmodSync, chownSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { KindProvider } from "../../contract/provider.ts"
import { importKind } from "../../provider/import-kind.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "../file/adapter/node-files.ts"
import { hostKinds } from "./host-kinds.ts"
import { PrivateRoot } from "./testing/private-root.ts"

const root = new PrivateRoot()
const kinds = hostKinds({ root: root.path })
const context = { world: worldWith({ files: nodeFiles() }), signal: new AbortController().signal }

beforeAll(() => {
  const append = (file: string, line: string) =>
    root.write(`etc/${file}`, `${root.read(`etc/${file}`)}${line}\n`)
  const { uid = 0, gid = 0 } = { uid: process.getuid?.(), gid: process.getgid?.() }
  append("passwd", "ann:x:3000:3000:Ann:/home/ann:/bin/bash")
  append("passwd", "BAD:x:3001:3000::/home/bad:/bin/sh")
  append("shadow", "ann:$6$canary$hash:20000:0:99999:7:::")
  root.write("etc/group", root.read("etc/group").replace("deck:x:3001:", "deck:x:3001:ann"))
  mkdirSync(join(root.path, "home/ann/.ssh"), { recursive: true })
  root.write("home/ann/.ssh/authorized_keys", "# mine\nssh-ed25519 AAAA ann@laptop\n")
  root.write("etc/cron.d/backup", "MAILTO=ann\n# nightly\n15 3 * * * root /bin/backup\n")
  root.write("etc/cron.d/broken", "this is no job\n")
  root.write("etc/cron.d/open", "15 3 * * * root /bin/backup\n")
  for (const name of ["backup", "broken"]) {
    chmodSync(join(root.path, "etc/cron.d", name), 0o644)
    if (uid === 0) chownSync(join(root.path, "etc/cron.d", name), uid, gid)
  }
  chmodSync(join(root.path, "etc/cron.d/open"), 0o666)
})
afterAll(() => root.remove())

const kindOf = (name: string): KindProvider => {
  const found = kinds.find(({ kind }) => kind === name)
  if (found === undefined) throw new Error(`no kind ${name}`)
  return found
}

async function imported(name: string, scope: Readonly<Record<string, string>>) {
  const kind = kindOf(name)
  const { objects, skipped } = await importKind(kind, scope, context)
  for (const { spec = {} } of objects) {
    const { adopt: _, ...desired } = spec
    const defaults = { createHome: true, system: false, onDelete: "disable" }
    const whole = name === "User" ? { ...defaults, ...desired } : desired
    const target = { uid: "u", object: "o", desired: whole, identity: kind.identity(whole) }
    const seen = await kind.observe?.(target, context)
    expect(seen).toMatchObject({ kind: "present", value: desired })
  }
  return { names: objects.map(({ metadata }) => metadata.name), objects, skipped }
}

it("takes people with their groups and keys, and never a password", async () => {
  const { names, objects, skipped } = await imported("User", { accounts: "people" })
  expect(names).toEqual(["ann"])
  expect(objects[0]?.spec).toMatchObject({
    ...{ name: "ann", uid: 3000, group: "crew", groups: ["deck"], shell: "/bin/bash" },
    authorizedKeys: ["ssh-ed25519 AAAA ann@laptop"],
  })
  expect(JSON.stringify(objects)).not.toContain("canary")
  expect(skipped.map(({ what }) => what)).toEqual(["BAD"])
})

it("takes the groups, and those of the system only when asked", async () => {
  expect((await imported("Group", { accounts: "people" })).names).toEqual(["crew", "deck"])
  const all = await imported("Group", { accounts: "all" })
  expect(all.names).toEqual(["crew", "daemon", "deck", "sudo"])
  expect(all.skipped.map(({ what }) => what)).toEqual(["root"])
})

it.skipIf(process.getuid?.() !== 0)("takes cron files that a CronFile could be", async () => {
  const { names, objects, skipped } = await imported("CronFile", { cron: "all" })
  expect(names).toEqual(["backup"])
  expect(objects[0]?.spec).toMatchObject({
    environment: { MAILTO: "ann" },
    jobs: [{ schedule: "15 3 * * *", user: "root", command: "/bin/backup" }],
  })
  expect(skipped.map(({ what }) => what)).toEqual(["broken", "open"])
})

it("says what is wrong with a scope", async () => {
  await expect(imported("User", { accounts: "some" })).rejects.toMatchObject({
    code: "SPT-HOST-001",
  })
  await expect(imported("CronFile", { cron: "nowhere" })).rejects.toThrow("no nowhere in")
})
