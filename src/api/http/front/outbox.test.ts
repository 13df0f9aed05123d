import { describe, expect, it } from "vitest"
import { type Bytes, packBody, packBytes } from "./messages.ts"
import { Outbox } from "./outbox.ts"

type Said = readonly [text: string] | readonly [number: number, bytes: Bytes]

/** What arrives when bytes are said behind so many other messages. */
async function arriving(before: number, bytes: () => Bytes): Promise<Said[]> {
  const arrived: Said[] = []
  const outbox = new Outbox<Said>({
    postMessage: (value, moved) => {
      arrived.push(...(structuredClone(value, { transfer: [...moved] }) as Said[]))
    },
  })
  const packed = bytes()
  for (let at = 0; at < before; at++) outbox.say(["hello"])
  outbox.say([1, packed])
  outbox.say(["bye"])
  outbox.flush()
  return arrived
}

describe("bytes that go to the other thread", () => {
  it.each([
    ["a body", () => packBody(Buffer.from("å日"))],
    ["an answer", () => packBytes(Buffer.alloc(40_000, 0xe9))],
  ])("arrive with their message, whatever was said in between: %s", async (_, bytes) => {
    const expected = Buffer.from(bytes() as Uint8Array)
    for (let before = 0; before < 20; before++) {
      const arrived = await arriving(before, bytes)
      expect(arrived.length).toBe(before + 2)
      const [, body] = arrived[before] as readonly [number, Uint8Array]
      expect(expected.equals(body)).toBe(true)
    }
  })

  it("are copies: what somebody keeps stays as it is", async () => {
    const kept = Buffer.alloc(40_000, 1)
    await arriving(9, () => packBytes(kept))
    expect(kept.byteLength).toBe(40_000)
  })
})
