// A zone of plain A records on a bind9 of its own, and the same records as manifests, as a zone of
// octoDNS and as lines of nsupdate. Everything lives below one temporary folder.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ApiObject } from "../../src/object/object.ts"
import {
  type NameServerProcess,
  startBind,
  testKey,
} from "../../src/providers/dns/adapter/testing/name-servers.ts"

export const zone = "example.org"

export interface ZoneSite {
  readonly base: string
  readonly count: number
  readonly server: NameServerProcess
  /** A folder of manifests. */
  readonly manifests: string
  /** The configuration of octoDNS. */
  readonly octodns: string
  close(): Promise<void>
}

export const nameOf = (n: number): string => `host-${n}`
export const addressOf = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`

export function recordSet(n: number, value = addressOf(n)): ApiObject {
  return {
    apiVersion: "dns.setpoint.dev/v1",
    kind: "RecordSet",
    metadata: { name: nameOf(n) },
    spec: {
      ...{ zoneFrom: { name: "zone" }, name: nameOf(n), type: "A", ttl: 300, values: [value] },
      adopt: true,
    },
  }
}

export function dnsZone({ address, keyFile }: NameServerProcess): ApiObject {
  return {
    apiVersion: "dns.setpoint.dev/v1",
    kind: "DnsZone",
    metadata: { name: "zone" },
    spec: { name: zone, server: address, keyFile },
  }
}

export async function openSite(count: number): Promise<ZoneSite> {
  const base = mkdtempSync(join(tmpdir(), "setpoint-dns-bench-"))
  const all = Array.from({ length: count }, (_, n) => n)
  const text = all.map((n) => `${nameOf(n)} A ${addressOf(n)}`).join("\n")
  const server = await startBind({ directory: join(base, "bind"), zones: { [zone]: text } })
  const manifests = join(base, "manifests")
  mkdirSync(manifests)
  writeManifests(manifests, server, all)
  return {
    ...{ base, count, server, manifests, octodns: writeOctodns(base, server, all) },
    async close() {
      await server.stop("SIGKILL")
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function writeManifests(folder: string, server: NameServerProcess, all: readonly number[]): void {
  const { spec } = dnsZone(server)
  const place = `name: ${zone}, server: "${spec?.server}", keyFile: ${spec?.keyFile}`
  const head = (kind: string, name: string) =>
    `apiVersion: dns.setpoint.dev/v1\nkind: ${kind}\nmetadata: { name: ${name} }\n`
  writeFileSync(join(folder, "zone.yaml"), `${head("DnsZone", "zone")}spec: { ${place} }\n`)
  for (let from = 0; from < all.length; from += 500) {
    const documents = all.slice(from, from + 500).map((n) => {
      const set = `name: ${nameOf(n)}, type: A, ttl: 300, values: ["${addressOf(n)}"]`
      const spec = `{ zoneFrom: { name: zone }, ${set}, adopt: true }`
      return `${head("RecordSet", nameOf(n))}spec: ${spec}\n`
    })
    writeFileSync(join(folder, `sets-${from}.yaml`), documents.join("---\n"))
  }
}

function writeOctodns(base: string, { port }: NameServerProcess, all: readonly number[]): string {
  const folder = join(base, "octodns")
  mkdirSync(folder)
  const records = all.map((n) => `${nameOf(n)}: { ttl: 300, type: A, value: ${addressOf(n)} }`)
  writeFileSync(join(folder, `${zone}.yaml`), `${["---", ...records].join("\n")}\n`)
  const file = join(base, "octodns.yaml")
  const { name, algorithm, secret } = testKey
  writeFileSync(
    file,
    [
      "providers:",
      `  config: { class: octodns.provider.yaml.YamlProvider, directory: ${folder}, ` +
        "default_ttl: 300, enforce_order: false }",
      `  bind: { class: octodns_bind.Rfc2136Provider, host: 127.0.0.1, port: ${port}, ` +
        `key_name: ${name}, key_secret: "${secret}", key_algorithm: ${algorithm} }`,
      `zones:\n  ${zone}.:\n    sources: [config]\n    targets: [bind]\n`,
    ].join("\n"),
  )
  return file
}
