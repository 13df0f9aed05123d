import fc from "fast-check"
import { expect, it } from "vitest"
import { WireReader } from "./wire-reader.ts"
import { WireWriter } from "./wire-writer.ts"

const texts = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.nat({ max: 20_000 }).map((length) => "ä".repeat(length)),
)

it("writes texts and messages of any length so that they are read back", () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 8 }), fc.nat({ max: 4 }), (all, depth) => {
      const write = (writer: WireWriter, left: number): void => {
        if (left > 0) writer.message(7, (inner) => write(inner, left - 1))
        else for (const text of all) writer.string(3, text).int(4, text.length)
      }
      const writer = new WireWriter()
      write(writer, depth)
      let reader = new WireReader(writer.finish())
      for (let left = depth; left > 0; left--) {
        expect(reader.field()).toBe(7)
        const inner = reader.bytes()
        expect(reader.done).toBe(true)
        reader = new WireReader(inner)
      }
      for (const text of all) {
        expect([reader.field(), reader.text()]).toEqual([3, text])
        expect([reader.field(), reader.int64()]).toEqual([4, text.length])
      }
      expect(reader.done).toBe(true)
    }),
    { numRuns: 100 },
  )
})
