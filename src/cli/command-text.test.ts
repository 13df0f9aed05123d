import { describe, expect, it } from "vitest"
import { commandText, shellWord } from "./command-text.ts"

describe("a command to copy", () => {
  it("names the data directory where it is not the default, quoted for a shell", () => {
    expect(commandText({ data: "./.setpoint" }, "status")).toBe("setpoint status")
    expect(commandText({ data: "/a b" }, "status")).toBe("setpoint status --data '/a b'")
    expect(shellWord("it's")).toBe("'it'\\''s'")
  })
})
