// The reader of console blocks finds what is wrong; otherwise no document could fail.

import { describe, expect, it } from "vitest"
import { isLook, matchOutput, stepsOf } from "./console.ts"

describe("console blocks", () => {
  it("are commands with their output", () => {
    const steps = stepsOf(
      "$ setpoint up site &\nready\n$ cat > a <<EOF\n> b\n> EOF\n$ ls\na\n...\nc\n",
    )
    expect(steps).toEqual([
      { command: "setpoint up site", expected: ["ready"], background: true },
      { command: "cat > a <<EOF\nb\nEOF", expected: [], background: false },
      { command: "ls", expected: ["a", "c"], background: false },
    ])
  })

  it("match when every line is printed in order, whatever ids, times and spaces there are", () => {
    const output = "x\nplan site-1234567890  40 deletes\n2026-01-02T03:04:05Z done in 12 ms\n"
    const match = matchOutput(
      ["plan site-abcdef0123 40 deletes", "2025-05-05T05:05:05Z done in 3 ms"],
      output,
    )
    expect(match.missing).toBeUndefined()
    expect(match.aliases.get("abcdef0123")).toBe("1234567890")
  })

  it("do not match when a number, a word or the order differs", () => {
    expect(matchOutput(["40 deletes"], "39 deletes\n").missing).toBe("40 deletes")
    expect(matchOutput(["a", "b"], "b\na\n").missing).toBe("b")
    expect(matchOutput(["limit 5 per 10 min"], "limit 6 per 10 min").missing).toBeDefined()
  })

  it("are asked again only when they change nothing", () => {
    expect(isLook("setpoint plans")).toBe(true)
    expect(isLook("cat a")).toBe(true)
    expect(isLook("cat a > b")).toBe(false)
    expect(isLook("setpoint approve site-1")).toBe(false)
  })
})
