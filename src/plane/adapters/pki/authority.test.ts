import { execFileSync } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { systemRandom } from "../../../base/system.ts"
import { openAuthority } from "./authority.ts"
import { addressBytes } from "./certificate.ts"

const dayMs = 86_400_000
let directory: string
let now: number
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spt-pki-"))
  now = Date.now()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const open = () => openAuthority({ directory, random: systemRandom, now: () => now })
const names = ["localhost", "127.0.0.1", "::1", "plane.example"]
const owner = { commonName: "ann", organizations: ["system:masters", "ops"] }

describe("the plane's authority", () => {
  it("signs for its server and its owner what other programs believe", () => {
    const authority = open()
    const server = new X509Certificate(authority.server(names).certificate)
    const ca = new X509Certificate(authority.certificate)
    expect(server.checkIssued(ca) && server.verify(ca.publicKey)).toBe(true)
    for (const name of ["localhost", "plane.example"]) expect(server.checkHost(name)).toBe(name)
    for (const address of ["127.0.0.1", "::1"]) expect(server.checkIP(address)).toBe(address)
    expect(server.checkHost("other.example")).toBeUndefined()
    const client = new X509Certificate(authority.client("owner.pem", owner).certificate)
    expect(client.subject).toBe("O=system:masters\nO=ops\nCN=ann")
    if (!existsSync("/usr/bin/openssl")) return
    const caFile = join(directory, "ca.crt")
    writeFileSync(caFile, authority.certificate)
    const verify = (purpose: string, file: string) => {
      const args = ["verify", "-x509_strict", "-CAfile", caFile, "-purpose", purpose]
      const all = [...args, join(directory, "pki", file)]
      return String(execFileSync("/usr/bin/openssl", all, { stdio: "pipe" }))
    }
    expect(verify("sslserver", "server.pem")).toContain("OK")
    expect(verify("sslclient", "owner.pem")).toContain("OK")
    expect(() => verify("sslserver", "owner.pem")).toThrow()
  })

  it("keeps its files to their owner", () => {
    const authority = open()
    authority.server(names)
    authority.client("owner.pem", owner)
    const home = join(directory, "pki")
    expect(statSync(home).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(home)) {
      expect(statSync(join(home, file)).mode & 0o777, file).toBe(0o600)
    }
  })

  it("shows the same after a restart, and new ones for other names or near the end", () => {
    const first = open()
    const server = first.server(names).certificate
    expect(open().certificate).toBe(first.certificate)
    expect(open().server(names).certificate).toBe(server)
    expect(open().server([...names, "more.example"]).certificate).not.toBe(server)
    const client = first.client("owner.pem", owner).certificate
    now += 300 * dayMs
    expect(open().client("owner.pem", owner).certificate).not.toBe(client)
    expect(open().certificate).toBe(first.certificate)
  })

  it("outlives its own certificate: with the same key, so that what it signed stays good", () => {
    const first = open()
    now += 3500 * dayMs
    const renewed = open()
    expect(renewed.certificate).not.toBe(first.certificate)
    const server = new X509Certificate(renewed.server(names).certificate)
    expect(server.verify(new X509Certificate(first.certificate).publicKey)).toBe(true)
  })

  it("never replaces what it can't understand: clients trust it", () => {
    open()
    writeFileSync(join(directory, "pki", "ca.pem"), "not a certificate")
    expect(open).toThrow(expect.objectContaining({ code: "SPT-TLS-001" }))
  })
})

describe("addresses in certificates", () => {
  it("are the bytes of every form in which they can be written", () => {
    expect([...addressBytes("10.0.0.255")]).toEqual([10, 0, 0, 255])
    expect(Buffer.from(addressBytes("fe80::1:2")).toString("hex")).toBe(
      "fe800000000000000000000000010002",
    )
    expect(Buffer.from(addressBytes("::ffff:1.2.3.4")).toString("hex")).toBe(
      "00000000000000000000ffff01020304",
    )
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(addressBytes(address)).toHaveLength(16)
      }),
      { numRuns: 200 },
    )
  })
})
