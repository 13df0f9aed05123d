// A real plane and a real Chromium for the tests of the dashboard: one of each per file. Whatever a
// page says to the console as an error, throws, is forbidden by the content security policy, or
// asks for in vain fails the test that it happened in, unless the test says that it expects it.

import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core"
import { expect } from "vitest"
import { ownPort } from "../e2e/clients/own-port.ts"
import { PlaneRig, type StartOptions } from "../e2e/plane/plane-rig.ts"
import { requireTool, type ToolCheck } from "../tools.ts"

const executablePath = "/usr/bin/chromium"

/** For `describe.skipIf(hasChromium.missing)`. */
export const hasChromium: ToolCheck = requireTool(executablePath)

/** Looked at by people, kept out of git. */
export const screensFolder = fileURLToPath(new URL("screens/", import.meta.url))

const axeSource = readFileSync(
  fileURLToPath(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url)),
  "utf8",
)

export type Scheme = "light" | "dark"

export class DashboardRig {
  readonly plane = new PlaneRig()
  readonly #trouble: string[] = []
  #browser: Browser | undefined
  #context: BrowserContext | undefined
  #page: Page | undefined
  #expected: readonly RegExp[] = []

  /** `prepare` writes manifests before the plane starts. */
  static async open(
    prepare: (plane: PlaneRig) => void = () => {},
    options: StartOptions = {},
  ): Promise<DashboardRig> {
    const rig = new DashboardRig()
    try {
      prepare(rig.plane)
      rig.plane.dashboardPort = await ownPort()
      await rig.plane.start(options)
      const args = process.getuid?.() === 0 ? ["--no-sandbox"] : []
      rig.#browser = await chromium.launch({ executablePath, args })
      rig.#context = await rig.newContext()
      rig.#page = await rig.newPage()
      return rig
    } catch (error) {
      await rig.close()
      throw error
    }
  }

  get page(): Page {
    if (this.#page === undefined) throw new Error("no page yet")
    return this.#page
  }

  get context(): BrowserContext {
    if (this.#context === undefined) throw new Error("no browser yet")
    return this.#context
  }

  /** "http://127.0.0.1:7444" */
  async address(): Promise<string> {
    return new URL(await this.link()).origin
  }

  /** A link that signs the owner in, once. */
  async link(): Promise<string> {
    const answer = (await this.plane.call("POST", "dashboard/link", {})) as { url: string }
    return answer.url
  }

  /** Somebody else's browser: no cookies of ours. */
  newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    if (this.#browser === undefined) throw new Error("no browser yet")
    return this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  }

  /** Another tab of the same browser, watched like the first one. */
  async newPage(context = this.context): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on("pageerror", (error) => this.#note(`page error: ${error.message}`))
    page.on("console", (message) => {
      const text = message.text()
      if (message.type() === "error" || /content security policy/i.test(text)) {
        this.#note(`console: ${text} (${message.location().url})`)
      }
    })
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? ""
      // A page that is left, and a watch that is let go, end their requests themselves.
      if (why !== "net::ERR_ABORTED") this.#note(`request failed: ${request.url()} ${why}`)
    })
    return page
  }

  async signIn(page = this.page): Promise<void> {
    await page.goto(await this.link())
    await page.getByRole("button", { name: "Sign out" }).waitFor()
  }

  /** Opens a page of the dashboard by its address: "/", "/loops/default.site". */
  async goto(path: string, page = this.page): Promise<void> {
    await page.goto(new URL(path, page.url()).href)
  }

  #note(text: string): void {
    if (this.#expected.some((one) => one.test(text))) return
    this.#trouble.push(text.slice(0, 500))
  }

  /** From now on this is no trouble: a plane that is killed, an answer that is a refusal. */
  expectTrouble(...patterns: readonly RegExp[]): void {
    this.#expected = patterns
  }

  /** In afterEach: fails on whatever the browser complained about. */
  checkQuiet(): void {
    const found = this.#trouble.splice(0)
    this.#expected = []
    expect(found).toEqual([])
  }

  async screenshot(name: string, page = this.page): Promise<string> {
    mkdirSync(screensFolder, { recursive: true })
    const path = join(screensFolder, `${name}.png`)
    await page.screenshot({ path })
    return path
  }

  async close(): Promise<void> {
    await this.#browser?.close()
    await this.plane.close()
  }
}

interface AxeFinding {
  readonly id: string
  readonly impact: string | null
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** No serious or critical findings of axe-core, in light and in dark; leaves a picture of each. */
export async function checkAccessibility(
  rig: DashboardRig,
  name: string,
  page = rig.page,
): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    await rig.screenshot(`${name}-${colorScheme}`, page)
    // A theme changes colours and nothing else.
    const findings = await axeFindings(page, colorScheme === "light" ? [] : ["color-contrast"])
    expect(findings, `${name} in ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: "light" })
}

async function axeFindings(page: Page, rules: readonly string[]): Promise<string[]> {
  // By the debugger, which the content security policy does not concern.
  await page.evaluate(axeSource)
  const options = rules.length === 0 ? {} : { runOnly: rules }
  const run = `axe.run(document, ${JSON.stringify(options)})`
  const found = (await page.evaluate(run)) as { violations: AxeFinding[] }
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => {
      const first = nodes[0]
      return `${id}: ${help}: ${first?.html.slice(0, 300)} ${first?.failureSummary ?? ""}`
    })
}
