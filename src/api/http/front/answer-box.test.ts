import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnswerBox } from "./answer-box.ts"
import type { ToFront } from "./messages.ts"

/** A box, and what has arrived at the front, message by message. */
function openBox() {
  const posts: ToFront[][] = []
  const box = new AnswerBox({
    postMessage: (value, moved) => {
      posts.push(structuredClone(value, { transfer: [...moved] }) as ToFront[])
    },
  })
  const arrived = () => {
    box.flush()
    return posts.flat()
  }
  return { box, posts, arrived }
}

/** What each exchange was told, in its order. */
function toldTo(messages: readonly ToFront[]): Map<number, string[]> {
  const told = new Map<number, string[]>()
  for (const message of messages) {
    const [kind, about] = message
    const text = kind === "write" ? `write ${Buffer.from(message[2] as string, "latin1")}` : kind
    for (const id of [about as number | readonly number[]].flat()) {
      told.set(id, [...(told.get(id) ?? []), text])
    }
  }
  return told
}

describe("an event for many watchers", () => {
  it("goes to the front once for many, and is there for each of them", () => {
    const { box, posts, arrived } = openBox()
    const event = Buffer.from('{"type":"ADDED"}\n')
    for (let id = 0; id < 100; id++) expect(box.write(id, event)).toBe(event.length)
    const messages = arrived()
    expect(messages.length).toBe(4)
    // The front begins before the last of them was told here.
    expect(posts.length).toBeGreaterThan(1)
    const told = toldTo(messages)
    expect(told.size).toBe(100)
    for (const texts of told.values()) expect(texts).toEqual([`write ${event}`])
  })

  it("goes whole to each of them when it is large and moved", () => {
    const { box, arrived } = openBox()
    const event = Buffer.alloc(40_000, 0xe9)
    for (const id of [1, 2, 3]) expect(box.write(id, event)).toBe(40_000)
    const [message] = arrived()
    expect(message?.[1]).toEqual([1, 2, 3])
    expect(event.equals(message?.[2] as Uint8Array)).toBe(true)
    expect(event.byteLength).toBe(40_000)
  })

  it("never comes before or after anything else that an exchange is told", () => {
    const events = ["a", "b", "ä"].map((text) => Buffer.from(text))
    const act = fc.record({
      id: fc.integer({ min: 0, max: 3 }),
      event: fc.integer({ min: 0, max: 4 }),
      flushes: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const { box, arrived } = openBox()
        const expected = new Map<number, string[]>()
        for (const { id, event, flushes } of acts) {
          const bytes = events[event]
          const text = bytes === undefined ? "mark" : `write ${bytes}`
          expected.set(id, [...(expected.get(id) ?? []), text])
          if (bytes === undefined) box.say(["mark", id])
          else box.write(id, bytes)
          if (flushes) box.flush()
        }
        expect(toldTo(arrived())).toEqual(expected)
      }),
    )
  })
})
