// A real Prometheus scrapes real planes with the config of the guide. For every alert its condition
// is caused on a plane and undone again: it is silent, fires, and is silent again.

import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root } from "../docs/pages.ts"
import { program } from "../program.ts"
import { mountsPrivately, requireTool } from "../tools.ts"
import { MountKeeper } from "./plane/mount-keeper.ts"
import { PlaneRig } from "./plane/plane-rig.ts"
import { waitFor } from "./plane/wait-for.ts"
import type { Condition } from "./prometheus/condition.ts"
import { addressOf, documentedScrape, type ScrapedPlane } from "./prometheus/documented-scrape.ts"
import { loopConditions } from "./prometheus/loop-conditions.ts"
import {
  diskCondition,
  fullCondition,
  queueCondition,
  slowCondition,
  stopCondition,
} from "./prometheus/plane-conditions.ts"
import { PrometheusRig } from "./prometheus/prometheus-rig.ts"
import { alertNames, rulesText } from "./prometheus/rule-file.ts"
import { shortenRules } from "./prometheus/shortened-rules.ts"

const tools = [requireTool("prometheus", "strace", "nsenter", "openssl"), mountsPrivately()]
const knobKind = fileURLToPath(new URL("./prometheus/knob-kind.ts", import.meta.url))
/** One in each plane's folder, those of conditions in loops, and that of the queue. */
const loopsWithObjects = 3 + 8 + 1
const patience = { deadlineMs: 120_000, everyMs: 100 }

describe.skipIf(tools.some(({ missing }) => missing))("a real Prometheus", () => {
  const [first, second, third] = [new PlaneRig(), new PlaneRig(), new PlaneRig()]
  const rigs = [first, second, third]
  const backups = join(second.base, "backups")
  const backup = ["--backup-to", backups, "--backup-every", "1m"]
  const scraper = new PrometheusRig()
  const disk = new MountKeeper(
    `mkdir -p ${third.data}\nmount -t tmpfs -o size=2g,mode=0700 none ${third.data}`,
  )
  const planes = new Map<PlaneRig, ScrapedPlane>()
  const conditions: Condition[] = []
  /** Alerts that have fired, as `ALERT instance loop`. */
  const fired = new Set<string>()

  beforeAll(async () => {
    mkdirSync(backups)
    await disk.ready()
    third.insideMounts = true
    for (const rig of rigs) rig.declare("one", "one\n")
    const knobs = ["--provider", knobKind, "--port", "0"]
    await Promise.all([
      first.start({ args: knobs }),
      second.start({ args: [...knobs, ...backup] }),
      third.start({ args: ["--port", "0"], prefix: disk.prefix }),
    ])
    for (const rig of rigs) planes.set(rig, scraped(rig))
    conditions.push(...(await loopConditions(first)), await queueCondition(second))
    const rulesFile = scraper.file("rules.yaml", shortenRules(rulesText))
    await scraper.start(documentedScrape([...planes.values()], rulesFile))
  })
  afterAll(async () => {
    await scraper.close()
    for (const rig of rigs) await rig.close()
    disk.close()
  })

  /** A token for it, and the files that Prometheus reads. */
  function scraped(rig: PlaneRig): ScrapedPlane {
    const data = rig === third ? disk.inside(rig.data) : rig.data
    const name = `plane-${rigs.indexOf(rig)}`
    const tokenFile = join(scraper.folder, `${name}.token`)
    const words = ["token", "create", "prometheus", "--kind", "monitor", "--file", tokenFile]
    const args = [program, "--data", data, ...words]
    const made = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 })
    if (made.status !== 0) throw new Error(made.stderr)
    const authority = readFileSync(join(data, "pki", "ca.crt"), "utf8")
    const authorityFile = scraper.file(`${name}.crt`, authority)
    return { target: addressOf(data), tokenFile, authorityFile }
  }

  const instanceOf = (rig: PlaneRig) => planes.get(rig)?.target ?? ""

  /** Names of what fires, or is about to, for this plane and loop. */
  async function active(rig: PlaneRig, loop?: string): Promise<ReadonlyMap<string, string>> {
    const alerts = await scraper.alerts()
    for (const { state, labels } of alerts) {
      const { alertname, instance, loop: of = "" } = labels
      if (state === "firing") fired.add(`${alertname} ${instance} ${of}`.trim())
    }
    const own = alerts.filter(({ labels }) => {
      const same = loop === undefined || (labels.loop ?? `default.${loop}`) === `default.${loop}`
      return labels.instance === instanceOf(rig) && same
    })
    return new Map(own.map(({ labels, state }) => [labels.alertname ?? "", state]))
  }

  const fires = (
    alert: string,
    { rig, loop, poke }: Omit<Condition, "alerts" | "cause" | "undo">,
  ) =>
    waitFor(
      `${alert} fires`,
      async () => {
        await poke?.()
        const seen = await active(rig, loop)
        return seen.get(alert) === "firing" || [...seen].join(" ")
      },
      patience,
    )

  const isSilent = (
    alert: string,
    { rig, loop, poke }: Omit<Condition, "alerts" | "cause" | "undo">,
  ) =>
    waitFor(
      `${alert} is silent`,
      async () => {
        await poke?.()
        const seen = await active(rig, loop)
        return !seen.has(alert) || [...seen].join(" ")
      },
      patience,
    )

  /** What is silent now is so for what was scraped, and not for want of it. */
  async function isScraped(rig: PlaneRig): Promise<void> {
    const asked = `setpoint_build_info{instance="${instanceOf(rig)}"}`
    await waitFor(
      "it is scraped again",
      async () => (await scraper.query(asked)).size > 0 || (await scraper.targets()).join(", "),
      patience,
    )
    const now = Date.now()
    await waitFor("rules are evaluated", () => scraper.evaluatedSince(now))
  }

  async function run(condition: Condition): Promise<void> {
    const { alerts } = condition
    for (const alert of alerts) await isSilent(alert, { ...condition, poke: () => {} })
    await condition.cause()
    await Promise.all(alerts.map((alert) => fires(alert, condition)))
    await condition.undo()
    await Promise.all(alerts.map((alert) => isSilent(alert, condition)))
  }

  it("scrapes planes as the guide says, and is silent while they are well", async () => {
    await waitFor("all are scraped", async () => {
      const targets = await scraper.targets()
      return targets.every((one) => one.endsWith(" up")) || targets.join(", ")
    })
    await waitFor("all is silent", async () => {
      const before = Date.now()
      await waitFor("rules are evaluated", () => scraper.evaluatedSince(before))
      const alerts = await scraper.alerts()
      return alerts.length === 0 || JSON.stringify(alerts)
    })
    await waitFor("every loop is seen", async () => {
      const seen = await scraper.query("setpoint_objects_converged > 0")
      return seen.size === loopsWithObjects || [...seen].join(", ")
    })
  })

  it("hears of everything that is caused, and that it is over", async () => {
    const onThird = [diskCondition(third, disk), fullCondition(third, disk), slowCondition(third)]
    const inTurn = async () => {
      for (const condition of onThird) await run(condition)
    }
    const others = [...conditions, stopCondition(second)]
    await Promise.all([...others.map(run), inTurn()])
  })

  it("hears of a plane that is gone, a certificate that ends, and an old backup", async () => {
    const plane = planes.get(second)
    if (plane === undefined) throw new Error("it was not started")
    const port = plane.target.split(":")[1] ?? ""
    const usual = ["--provider", knobKind, "--port", port, ...backup]
    await second.end("SIGKILL")
    await fires("SetpointDown", { rig: second })
    // Nothing can be written under this name, and the only good backup is old.
    const inTheWay = join(backups, "setpoint.unverified")
    for (const name of readdirSync(backups)) rmSync(join(backups, name))
    mkdirSync(inTheWay)
    writeFileSync(join(backups, "setpoint-20260101T000000Z-r1.db"), "")
    const file = join(second.base, "short.pem")
    appendFileSync(plane.authorityFile, shortCertificate(file))
    await second.start({ args: [...usual, "--tls-cert", file] })
    await isScraped(second)
    await isSilent("SetpointDown", { rig: second })
    const both = ["SetpointCertificateExpiring", "SetpointBackupOld"]
    for (const alert of both) await fires(alert, { rig: second })
    await second.end("SIGKILL")
    rmdirSync(inTheWay)
    await second.start({ args: usual })
    await isScraped(second)
    for (const alert of both) await isSilent(alert, { rig: second })
  })

  it("answers every question of the Grafana dashboard with something", async () => {
    const file = join(root, "deploy/grafana/setpoint.json")
    const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
      panels: { title: string; targets?: { expr: string }[] }[]
    }
    const silent: string[] = []
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const asked = expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$\w+/g, ".*")
        if ((await scraper.query(asked)).size === 0) silent.push(`${title}: ${asked}`)
      }
    }
    expect(silent).toEqual([])
  })

  it("heard of every alert there is, and of none where nothing was caused", () => {
    const names = new Set([...fired].map((one) => one.split(" ")[0]))
    expect([...names].sort()).toEqual([...alertNames].sort())
    const calm = [...fired].filter((one) => / default\.(default|site)$/.test(one))
    expect(calm).toEqual([])
  })
})

/** Good for a day. */
function shortCertificate(file: string): string {
  const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-subj", "/CN=plane"]
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const args = ["req", "-x509", "-days", "1", ...key, ...names, "-keyout", file, "-out", "-"]
  const made = spawnSync("openssl", args, { encoding: "utf8", timeout: 30_000 })
  if (made.status !== 0) throw new Error(made.stderr)
  appendFileSync(file, made.stdout)
  return made.stdout
}
