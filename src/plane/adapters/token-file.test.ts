import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { tokenAuthenticator } from "../../api/http/authenticate.ts"
import { sha256 } from "../../base/hash.ts"
import type { Principal } from "../../contract/principal.ts"
import { SimRandom } from "../../sim/sim-random.ts"
import { createToken, readTokens, revokeToken, tokenBook } from "./token-file.ts"

const robo: Principal = { name: "robo", kind: "agent", groups: ["setpoint:agents"] }
const owner: Principal = { name: "owner", kind: "human" }
const start = Date.parse("2026-01-01T00:00:00Z")
const hour = 3_600_000

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spt-tokens-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const random = new SimRandom(1)
const make = (name: string, kind: Principal["kind"] = "human", lifeMs = hour) =>
  createToken(directory, { name, kind, lifeMs }, owner, start, random).token

describe("tokens", () => {
  it("open the plane as who they were made for, until they expire or are revoked", () => {
    let now = start
    const who = tokenAuthenticator(tokenBook(directory, () => now))
    const token = make("bob")
    const other = make("robo", "agent", 2 * hour)
    expect(who({ token: token })).toEqual({
      name: "bob",
      kind: "human",
      groups: ["setpoint:humans"],
      signedInBy: { ground: `token:${sha256(token)}` },
    })
    expect(who({ token: other })).toMatchObject(robo)
    expect(who({ token: `${token}0` })).toBeUndefined()
    now += hour
    expect(who({ token: token })).toBeUndefined()
    expect(who({ token: other })).toMatchObject(robo)
    revokeToken(directory, "robo")
    expect(who({ token: other })).toBeUndefined()
  })

  it("are kept as hashes, readable by the owner alone", () => {
    const token = make("bob")
    expect(JSON.stringify(readTokens(directory))).not.toContain(token)
    expect(statSync(join(directory, "tokens.json")).mode & 0o777).toBe(0o600)
  })

  it.each(["", "a b", "setpoint:engine", "setpoint-source/default.site", "x".repeat(64), "-a"])(
    "are refused for the name %j, which could be mistaken",
    (name) => expect(() => make(name)).toThrow("cannot make a token"),
  )

  it("are refused for the owner's name and for a name that has one, until that is over", () => {
    expect(() => make("owner", "agent")).toThrow("that is the owner")
    make("bob")
    expect(() => make("bob", "agent")).toThrow("that name has a token already")
    const later = start + 2 * hour
    const again = { name: "bob", kind: "human", lifeMs: hour } as const
    createToken(directory, again, owner, later, random)
    expect(readTokens(directory)).toHaveLength(1)
  })

  it.each(["", "{}", '{"format":2,"tokens":[]}', '{"format":1,"tokens":[{"name":"bob"}]}'])(
    "let nobody in when their file is %j, and say so",
    (text) => {
      const token = make("bob")
      const who = tokenAuthenticator(tokenBook(directory, () => start))
      expect(who({ token: token })).toBeDefined()
      writeFileSync(join(directory, "tokens.json"), text)
      expect(who({ token: token })).toBeUndefined()
      expect(() => readTokens(directory)).toThrow("can't be understood")
    },
  )
})
