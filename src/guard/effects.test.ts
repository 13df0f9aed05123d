import { describe, expect, it } from "vitest"
import type { Json } from "../base/json.ts"
import type { Verb } from "../contract/action.ts"
import { countDestroyed, effectsOf, effectText } from "./effects.ts"

const marks = {
  ...{ scale: new Set(["replicas"]), expiry: new Set(["ttl", "until"]) },
  payload: new Set(["body", "bytes"]),
}

function effects(
  path: string,
  before: Json | undefined,
  after: Json | undefined,
  verb: Verb = "update",
) {
  const change = {
    path,
    why: "requested" as const,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
  return effectsOf({ verb, changes: [change] }, marks)
}

describe("what an action destroys", () => {
  it.each<[string, string, Json | undefined, Json | undefined, number, string]>([
    ["scaling to zero", "replicas", 5, 0, 5, "takes replicas from 5 to zero"],
    ["a removed scale", "replicas", 5, undefined, 5, "takes replicas from 5 to zero"],
    ["an emptied list", "records", ["a", "b", "c"], [], 1, "empties records"],
    ["a list taken away", "records", ["a", "b"], undefined, 1, "empties records"],
    ["an emptied map", "labels", { a: 1, b: 2 }, {}, 1, "empties labels"],
    [
      "a removed keyed item",
      'rules[name="ssh"]',
      { name: "ssh" },
      undefined,
      1,
      'removes rules[name="ssh"]',
    ],
    ["a removed set item", 'tags[="a"]', "a", undefined, 1, 'removes tags[="a"]'],
    [
      "an item with brackets in its key",
      'rules[name="a[b]"]',
      { port: 1 },
      undefined,
      1,
      'removes rules[name="a[b]"]',
    ],
    ["an emptied payload", "body", "a", "", 1, "empties body"],
    ["a payload taken away", "body", "a", undefined, 1, "empties body"],
    ["a long payload emptied", "body", { $hash: "x", $length: 9000 }, "", 1, "empties body"],
    ["a shorter life", "ttl", 3600, 1, 1, "lets ttl end sooner"],
    [
      "an earlier end",
      "until",
      "2030-01-01T00:00:00Z",
      "2029-01-01T00:00:00Z",
      1,
      "lets until end sooner",
    ],
  ])("%s counts", (_name, path, before, after, count, text) => {
    const found = effects(path, before, after)
    expect(countDestroyed(found)).toBe(count)
    expect(found.map(effectText)).toEqual([text])
  })

  it.each<[string, string, Json | undefined, Json | undefined]>([
    ["scaling down", "replicas", 5, 1],
    ["scaling up", "replicas", 0, 5],
    ["a changed text", "content", "long", ""],
    ["a long text that is taken away", "content", { $hash: "x", $length: 9000 }, undefined],
    ["a payload with other text", "body", "long", "x"],
    ["a payload that was empty", "body", "", undefined],
    ["a shorter list", "records", ["a", "b"], ["a"]],
    ["a longer list", "records", ["a"], ["a", "b"]],
    ["a list of the same length", "records", ["a"], ["b"]],
    ["a new item", 'rules[name="ssh"]', undefined, { name: "ssh" }],
    ["a removed member of a map", 'labels["a.b/c"]', "x", undefined],
    ["a longer life", "ttl", 1, 3600],
    ["an end taken away", "until", "2030-01-01T00:00:00Z", undefined],
  ])("%s does not", (_name, path, before, after) => {
    expect(effects(path, before, after)).toEqual([])
  })

  it("does not count a payload that goes on in another field, nor one that is put right", () => {
    const gone = { path: "body", before: "a", why: "requested" } as const
    const bytes = { path: "bytes", after: "YQ==", why: "requested" } as const
    expect(effectsOf({ verb: "update", changes: [gone, bytes] }, marks)).toEqual([])
    const drift = { path: "body", before: "a", after: "", why: "drift" } as const
    expect(effectsOf({ verb: "update", changes: [drift] }, marks)).toEqual([])
  })

  it("counts a delete and a replace as one, whatever they change", () => {
    expect(countDestroyed(effects("size", 1, 2, "delete"))).toBe(1)
    expect(countDestroyed(effects("size", 1, 2, "replace"))).toBe(1)
    expect(countDestroyed(effects("records", ["a"], [], "create"))).toBe(0)
  })
})
