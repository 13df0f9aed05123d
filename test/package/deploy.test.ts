// The files in deploy/ and the Dockerfile: the unit is one that systemd takes, and what they name
// is there. Images are built where a Docker daemon runs.

import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { full } from "../full.ts"
import { requireTool } from "../tools.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "sptd-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const read = (path: string) => readFileSync(join(root, path), "utf8")
/** Words after `serve` that begin with dashes; every one has to be an option. */
const serveOptions = () => {
  const page = read("docs/reference/cli.md")
  const section = /## setpoint serve\n[\s\S]*?\n## /.exec(page)?.[0] ?? ""
  return `${section}${/## Options of every command[\s\S]*?\n## /.exec(page)?.[0] ?? ""}`
}

describe("the systemd unit", () => {
  const unit = read("deploy/systemd/setpoint.service")
  const systemd = requireTool("systemd-analyze")

  it.skipIf(systemd.missing)("is taken by systemd, with and without less rights", () => {
    cpSync(join(root, "deploy/systemd"), folder, { recursive: true })
    // The program is not installed where tests run.
    const here = unit.replace("/usr/local/bin/setpoint", join(root, "bin/setpoint"))
    const path = join(folder, "setpoint.service")
    writeFileSync(path, here)
    const verify = () => {
      const result = spawnSync("systemd-analyze", ["verify", path], { timeout: 60_000 })
      return { code: result.status, out: `${result.stdout}${result.stderr}` }
    }
    expect(verify()).toEqual({ code: 0, out: "" })
    rmSync(join(folder, "setpoint.service.d"), { recursive: true })
    expect(verify()).toEqual({ code: 0, out: "" })
    // It would be told: systemd complains about what it does not know.
    writeFileSync(path, here.replace("KillMode=process", "KillMode=politely"))
    expect(verify().out).toContain("politely")
  })

  it("lets kept processes go on, keeps keys out of the data, and comes back", () => {
    for (const line of [
      ...["KillMode=process", "Restart=on-failure", "StateDirectory=setpoint"],
      ...["OOMPolicy=continue", "Environment=XDG_CONFIG_HOME=/etc", "LimitNOFILE=65536"],
    ]) {
      expect(unit.split("\n")).toContain(line)
    }
    const [, command = ""] = /^ExecStart=(.*)$/m.exec(unit) ?? []
    expect(command).toMatch(/^\/usr\/local\/bin\/setpoint serve --data \/var\/lib\/setpoint /)
  })
})

describe("the Dockerfile", () => {
  const text = read("Dockerfile").replaceAll("\\\n", " ")
  const lines = text.split("\n").filter((line) => /^[A-Z]+ /.test(line))
  const all = (word: string) => lines.filter((line) => line.startsWith(`${word} `))

  it("copies what is there and what is not left out of the context", () => {
    const kept = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
    const copied = all("COPY").filter((line) => !line.includes("--from="))
    const sources = copied.flatMap((line) => line.split(/\s+/).slice(1, -1))
    expect(sources.length).toBeGreaterThan(6)
    for (const source of sources) {
      expect(existsSync(join(root, source))).toBe(true)
      expect(kept).toContain(`!${source.split("/")[0]}`)
    }
    const scripts = [...text.matchAll(/node (scripts\/\S+\.ts)/g)].map(([, path = ""]) => path)
    for (const path of scripts) expect(existsSync(join(root, path))).toBe(true)
  })

  it("takes the executable from the stage that made it, and runs it as nobody special", () => {
    expect(all("FROM")[0]).toMatch(/^FROM node:24-\S+ AS build$/)
    expect(all("COPY").join("\n")).toContain("--from=build /setpoint /usr/local/bin/setpoint")
    expect(all("ENTRYPOINT")).toEqual(['ENTRYPOINT ["/usr/local/bin/setpoint"]'])
    expect(all("USER")).toEqual(["USER setpoint"])
    expect(all("HEALTHCHECK")).toHaveLength(1)
    expect(text).not.toMatch(/:latest|curl|wget/)
  })

  it("starts a plane by options that there are", () => {
    const [, words = "[]"] = /^CMD (\[.*\])$/m.exec(text) ?? []
    const flags = (JSON.parse(words) as string[]).filter((word) => word.startsWith("--"))
    expect(flags).toEqual(["--data", "--listen"])
    for (const flag of flags) expect(serveOptions()).toContain(`\`${flag} `)
  })

  const docker = full ? requireTool("docker: info") : { missing: true, name: "" }
  it.skipIf(docker.missing)("makes an image that says its version", { timeout: 900_000 }, () => {
    const run = (...args: readonly string[]) => {
      const result = spawnSync("docker", args, { cwd: root, timeout: 800_000 })
      return { code: result.status, out: String(result.stdout) }
    }
    expect(run("build", "--quiet", "--tag", "setpoint:test", ".").code).toBe(0)
    expect(run("run", "--rm", "setpoint:test", "--version").out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
