import { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { systemClock } from "../../base/system.ts"
import type { Principal } from "../../contract/principal.ts"
import { callerOf } from "./remember-caller.ts"

const person = (name: string): Principal => ({ name, kind: "human" })

describe("a connection whose caller is remembered", () => {
  it("is asked again for another token, and for nobody's", async () => {
    const request = { socket: new Socket() }
    let asked = 0
    const authenticate = ({ token }: { token?: string }) => {
      asked++
      return token === undefined || token === "bad" ? undefined : person(token)
    }
    const who = async (token?: string) => {
      const credentials = token === undefined ? {} : { token }
      return (await callerOf(authenticate, systemClock, request, credentials))?.name
    }
    expect([await who("a"), await who("a")]).toEqual(["a", "a"])
    expect(asked).toBe(1)
    expect([await who("b"), await who("bad"), await who()]).toEqual(["b", undefined, undefined])
    expect(await who("a")).toBe("a")
    expect(asked).toBe(5)
  })

  it("gives no session the caller of another, whatever token both bring along", async () => {
    const request = { socket: new Socket() }
    const session = (name: string) =>
      callerOf(() => person(name), systemClock, request, { token: "same" })
    expect([(await session("ann"))?.name, (await session("ben"))?.name]).toEqual(["ann", "ben"])
  })
})
