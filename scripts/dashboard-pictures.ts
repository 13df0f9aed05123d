// The pictures in docs/images, made from the real program: a plane with loops in several standings,
// and a real Chromium that looks at it. `npm run build && node scripts/dashboard-pictures.ts`.

import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { chromium, type Page } from "playwright-core"

const root = fileURLToPath(new URL("..", import.meta.url))
const images = join(root, "docs", "images")
const base = mkdtempSync(join(tmpdir(), "setpoint-pictures-"))
const data = join(base, "data")
const program = join(root, "dist", "bundle", "main.js")
const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config") }

const loops: Readonly<Record<string, { readonly files: number; readonly mode: string }>> = {
  site: { files: 100, mode: "Enforce" },
  edge: { files: 24, mode: "Enforce" },
  mail: { files: 12, mode: "Observe" },
  web: { files: 40, mode: "Enforce" },
}

function declare(): void {
  mkdirSync(join(base, "fleet"))
  for (const [name, { files, mode }] of Object.entries(loops)) {
    const folder = join(base, name)
    mkdirSync(folder)
    mkdirSync(join(base, "targets", name), { recursive: true })
    for (let at = 0; at < files; at++) writeFileSync(manifestPath(name, at), manifest(name, at))
    const spec = { mode, source: { directory: { path: folder } } }
    const metadata = { name, namespace: "default" }
    const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec }
    writeFileSync(join(base, "fleet", `${name}.yaml`), JSON.stringify(loop))
  }
}

const manifestPath = (loop: string, at: number): string => join(base, loop, `${loop}-${at}.yaml`)
const target = (loop: string, at: number): string => join(base, "targets", loop, `${at}.conf`)

function manifest(loop: string, at: number): string {
  const metadata = { name: `${loop}-${at}` }
  const content = `# ${loop} ${at}\nlisten 8${String(at).padStart(3, "0")}\nworkers 4\n`
  const spec = { path: target(loop, at), content }
  return JSON.stringify({ apiVersion: "host.setpoint.dev/v1", kind: "File", metadata, spec })
}

function setpoint(...args: readonly string[]): string {
  const all = [program, "--data", data, ...args]
  return execFileSync(process.execPath, all, { env, encoding: "utf8", timeout: 60_000 })
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    try {
      if (isSo()) return
    } catch {} // It is not there yet.
    await sleep(200)
  }
  throw new Error(`it never happened: ${what}`)
}

interface Status {
  readonly loops: readonly {
    readonly id: string
    readonly objects: number
    readonly converged: number
    readonly plan?: { readonly name: string }
  }[]
}

const status = (): Status => JSON.parse(setpoint("status", "--output", "json")) as Status
const loopOf = (name: string) => status().loops.find(({ id }) => id === `default.${name}`)
const settled = (name: string) => loopOf(name)?.converged === loops[name]?.files

async function trouble(): Promise<void> {
  for (const name of ["site", "edge", "web"]) await until(`${name} converges`, () => settled(name))
  for (let at = 0; at < 8; at++) {
    writeFileSync(target("web", at * 3), "edited by hand\n")
    await sleep(1500)
  }
  await until("it is put right", () => settled("web"))
  for (let at = 0; at < 40; at++) rmSync(manifestPath("site", at))
  await until("it is held", () => loopOf("site")?.plan !== undefined)
  writeFileSync(manifestPath("edge", 3), "kind: File\nspec: [")
  await sleep(2000)
}

async function shoot(page: Page, name: string): Promise<void> {
  await sleep(1500)
  await page.screenshot({ path: join(images, `${name}.png`) })
}

async function pictures(): Promise<void> {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : []
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args })
  try {
    const viewport = { width: 1280, height: 720 }
    const page = await browser.newPage({ viewport, colorScheme: "light" })
    await page.goto(setpoint("dashboard").trim())
    await page.getByRole("row", { name: "default.web" }).waitFor()
    const at = (path: string) => page.goto(new URL(path, page.url()).href)
    await shoot(page, "dashboard-overview")
    await at(`/plans/${loopOf("site")?.plan?.name ?? ""}`)
    await shoot(page, "dashboard-plan")
    await at("/loops/default.edge")
    await shoot(page, "dashboard-loop")
    await page.emulateMedia({ colorScheme: "dark" })
    await at("/objects/files.host.setpoint.dev/default/web-3")
    await shoot(page, "dashboard-object")
  } finally {
    await browser.close()
  }
}

mkdirSync(images, { recursive: true })
declare()
const child = spawn(process.execPath, [program, "--data", data, "up", join(base, "fleet")], {
  ...{ env, cwd: base, stdio: "ignore" },
})
try {
  await until(
    "the plane starts",
    () => existsSync(join(data, "api.sock")) && status() !== undefined,
  )
  await trouble()
  await pictures()
} finally {
  child.kill("SIGKILL")
  rmSync(base, { recursive: true, force: true })
}
