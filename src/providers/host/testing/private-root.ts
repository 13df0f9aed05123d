// A directory that stands for / in tests: account files with root and a few others, and a back
// door that edits them without the tools.

import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { JsonObject } from "../../../base/json.ts"

const passwd = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
`
const group = `root:x:0:
daemon:x:1:
sudo:x:27:
crew:x:3000:
deck:x:3001:
`

export class PrivateRoot {
  readonly path = mkdtempSync(join(tmpdir(), "spt-root-"))

  constructor() {
    this.reset()
  }

  reset(): void {
    rmSync(this.path, { recursive: true, force: true })
    for (const name of ["etc/cron.d", "home", "var/mail", "tmp"]) {
      mkdirSync(join(this.path, name), { recursive: true })
    }
    this.write("etc/passwd", passwd)
    this.write("etc/group", group)
    this.write("etc/shadow", "root:*:20000:0:99999:7:::\ndaemon:*:20000:0:99999:7:::\n")
    this.write("etc/gshadow", group.replaceAll(/^(\w+):.*$/gm, "$1:*::"))
    this.write("etc/login.defs", "UID_MIN 1000\nGID_MIN 1000\nUSERGROUPS_ENAB yes\nUMASK 022\n")
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), "utf8")
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text)
  }

  /** The line of an account in one of the files. */
  line(file: string, name: string): string | undefined {
    return this.lines(file).find((line) => line.startsWith(`${name}:`))
  }

  lines(file: string): string[] {
    return this.read(`etc/${file}`)
      .split("\n")
      .filter((line) => line !== "")
  }

  /** What is true of a user, in the words of the spec. */
  user(name: string): JsonObject {
    const [, , uid, gid, comment = "", home = "", shell = ""] =
      this.line("passwd", name)?.split(":") ?? []
    const [, password = "", , , , , , expires] = this.line("shadow", name)?.split(":") ?? []
    const all = this.lines("group").map((line) => line.split(":"))
    const group = all.find((fields) => fields[2] === gid)?.[0] ?? ""
    const groups = all.filter((fields) => fields[3]?.split(",").includes(name)).map(([one]) => one)
    const keys = join(this.path, home, ".ssh/authorized_keys")
    const lines = existsSync(keys) ? readFileSync(keys, "utf8").trim().split("\n") : []
    return {
      ...{ name, uid: Number(uid), group, groups: groups.map(String).sort(), comment, home, shell },
      passwordHash: password.replace("!", ""),
      ...{ enabled: expires !== "1", authorizedKeys: lines },
    }
  }

  /** One of the tools, as somebody would use it by hand. */
  tool(program: string, ...args: readonly string[]): void {
    const { status, stderr } = spawnSync(program, ["-R", this.path, ...args])
    if (status !== 0) throw new Error(`${program}: ${stderr}`)
  }

  /** Rewrites the lines of one account; an empty list removes them. */
  edit(file: string, name: string, change: (fields: string[]) => readonly string[]): void {
    const edited = this.lines(file).flatMap((line) => {
      if (!line.startsWith(`${name}:`)) return [line]
      const fields = change(line.split(":"))
      return fields.length === 0 ? [] : [fields.join(":")]
    })
    this.write(`etc/${file}`, edited.map((line) => `${line}\n`).join(""))
  }

  add(file: string, line: string): void {
    this.write(`etc/${file}`, `${this.read(`etc/${file}`)}${line}\n`)
  }
}
