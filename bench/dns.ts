// `npm run bench -- dns`: a zone of 20,000 records on a bind9 of its own. What a plan over all of
// it costs against a bare `dig AXFR`, a change of 100 records against a bare `nsupdate`, and both
// a running plane and a one-shot plan against octoDNS with its bind provider (from PyPI, in a
// temporary environment, where that can be had). All in turns in one run.

import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { systemClock as clock, systemRandom as random } from "../src/base/system.ts"
import { createSockets } from "../src/provider/adapter/sockets.ts"
import { worldWith } from "../src/provider/missing-handles.ts"
import { testKey } from "../src/providers/dns/adapter/testing/name-servers.ts"
import { dnsKinds } from "../src/providers/dns/dns-kinds.ts"
import { nodeFiles } from "../src/providers/file/adapter/node-files.ts"
import { openMemoryStore } from "../src/store/open-memory-store.ts"
import { hundredChanges, ProviderRun } from "./dns/provider-run.ts"
import {
  addressOf,
  dnsZone,
  nameOf,
  openSite,
  recordSet,
  type ZoneSite,
  zone,
} from "./dns/zone-site.ts"
import { openBenchPlane, untilConverged } from "./loop/bench-plane.ts"
import { alone, type Bench, type BenchOptions, type BenchResult, median } from "./result.ts"

const cli = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url))

interface Times {
  readonly plan: number[]
  readonly dig: number[]
  readonly change: number[]
  readonly nsupdate: number[]
  readonly pass: number[]
  readonly coldPlan: number[]
  readonly octodns: number[]
}

function run(command: string, args: readonly string[], input = "", env = process.env): number {
  const began = performance.now()
  const ended = spawnSync(command, args, { input, env, maxBuffer: 1e9, timeout: 600_000 })
  if (ended.status !== 0) throw new Error(`${command} ended with ${ended.status}: ${ended.stderr}`)
  return performance.now() - began
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** octoDNS in an environment of its own, or undefined with a word about it. */
function installOctodns(site: ZoneSite, { progress }: BenchOptions): string | undefined {
  const folder = join(site.base, "venv")
  const sync = join(folder, "bin", "octodns-sync")
  const options = { timeout: 300_000 }
  spawnSync("python3", ["-m", "venv", folder], options)
  spawnSync(join(folder, "bin", "pip"), ["install", "-q", "octodns-bind"], options)
  if (existsSync(sync)) return sync
  progress("skipped: octoDNS can't be installed here, no peer for whole plans")
  return undefined
}

const digArgs = ({ server }: ZoneSite): string[] => {
  const key = `${testKey.algorithm}:${testKey.name}:${testKey.secret}`
  return ["@127.0.0.1", "-p", String(server.port), "-y", key, "+noall", "+answer", zone, "AXFR"]
}

function nsupdateHundred({ server }: ZoneSite, round: number): number {
  const lines = hundredChanges(round).flatMap(({ n, value }) => {
    const name = `${nameOf(n)}.${zone}.`
    const seen = hundredChanges(round - 1).find((one) => one.n === n)?.value ?? addressOf(n)
    return [
      ...[`prereq yxrrset ${name} A ${seen}`, `update delete ${name} A`],
      `update add ${name} 300 A ${value}`,
    ]
  })
  const input = [`server 127.0.0.1 ${server.port}`, `zone ${zone}`, ...lines, "send", ""].join("\n")
  return run("nsupdate", ["-v", "-k", server.keyFile], input)
}

async function providerRounds(site: ZoneSite, rounds: number, times: Times): Promise<void> {
  const provider = new ProviderRun(site)
  await provider.plan() // Both sides warm: code here, the zone in the server.
  run("dig", digArgs(site))
  for (let round = 0; round < rounds; round++) {
    times.plan.push(await timed(() => provider.plan()))
    times.dig.push(run("dig", digArgs(site)))
  }
  for (let round = 1; round <= rounds; round++) {
    await provider.look()
    times.change.push(await timed(() => provider.change(2 * round - 1)))
    times.nsupdate.push(nsupdateHundred(site, 2 * round))
  }
  await provider.restore()
}

async function planeRounds(site: ZoneSite, rounds: number, times: Times): Promise<void> {
  const objects = Array.from({ length: site.count }, (_, n) => recordSet(n))
  const store = await openMemoryStore({ clock, random })
  const plane = await openBenchPlane({
    ...{ store, kinds: dnsKinds({ clock, random }), objects: [dnsZone(site.server), ...objects] },
    world: worldWith({ sockets: createSockets(), files: nodeFiles() }),
  })
  try {
    await untilConverged(plane, site.count, 1_800_000)
    const client = plane.client({ name: "bench", kind: "human" })
    const look = () => client.call("POST", "/setpoint/v1/look")
    await look()
    for (let round = 0; round < 3 * rounds; round++) times.pass.push(await timed(look))
  } finally {
    await plane.close()
    await store.close()
  }
}

const compared = (name: string, ours: number[], peer: string, theirs: number[]): BenchResult => {
  const value = median(ours)
  const other = median(theirs)
  if (Number.isNaN(other)) return alone(name, value, "ms")
  return { name, value, unit: "ms", peer: `${peer}, ${Math.round(other)} ms`, ratio: value / other }
}

export const bench: Bench = async (options) => {
  const count = options.quick ? 2000 : 20_000
  const rounds = options.quick ? 2 : 5
  const site = await openSite(count)
  const times: Times = {
    ...{ plan: [], dig: [], change: [], nsupdate: [], pass: [], coldPlan: [], octodns: [] },
  }
  try {
    options.progress(`a zone of ${count} records`)
    await providerRounds(site, rounds, times)
    options.progress("a running plane")
    await planeRounds(site, rounds, times)
    const octodns = installOctodns(site, options)
    const env = { ...process.env, XDG_CONFIG_HOME: join(site.base, "config") }
    const args = [cli, "--data", join(site.base, "data"), "plan", site.manifests]
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      options.progress(`one-shot plans, round ${round + 1}`)
      times.coldPlan.push(run(process.execPath, args, "", env))
      if (octodns !== undefined) times.octodns.push(run(octodns, ["--config-file", site.octodns]))
    }
  } finally {
    await site.close()
  }
  const records = count.toLocaleString("en")
  const { octodns } = times
  return [
    compared(`plan of ${records} records, all transferred`, times.plan, "dig AXFR", times.dig),
    compared("change of 100 records", times.change, "nsupdate", times.nsupdate),
    compared("running plane's pass, nothing changed", times.pass, "octoDNS plan", octodns),
    compared("one-shot plan by the command line", times.coldPlan, "octoDNS plan", octodns),
  ]
}
