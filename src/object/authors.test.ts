import { describe, expect, it } from "vitest"
import { authorsAnnotation, authorsSince, authorsText } from "./authors.ts"
import type { ApiObject } from "./object.ts"

const object = (text?: string): ApiObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name: "a",
    ...(text === undefined ? {} : { annotations: { [authorsAnnotation]: text } }),
  },
})

describe("authors of a spec", () => {
  it("are kept once each, the newest last, with the generation they made", () => {
    let text = authorsText(undefined, "ann", 1)
    text = authorsText(object(text), "b b@c", 2)
    text = authorsText(object(text), undefined, 3)
    text = authorsText(object(text), "ann", 4)
    expect(authorsSince(object(text), 0)).toEqual(["b b@c", "ann"])
    expect(authorsSince(object(text), 2)).toEqual(["ann"])
    expect(authorsSince(object(text), 4)).toEqual([])
  })

  it("are nobody when nobody asked, and words that make no sense are nobody", () => {
    expect(authorsText(undefined, undefined, 1)).toBeUndefined()
    expect(authorsSince(object("x @3 ann@b %zz@2"), 0)).toEqual(["%zz"])
  })

  it("are at most 20", () => {
    let text: string | undefined
    for (let count = 1; count <= 50; count++) text = authorsText(object(text), `n${count}`, count)
    expect(authorsSince(object(text), 0)).toHaveLength(20)
  })
})
