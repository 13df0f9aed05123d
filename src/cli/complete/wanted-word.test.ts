import { Argument, Command, Option } from "commander"
import { describe, expect, it } from "vitest"
import { wantedWord } from "./wanted-word.ts"

function parser(): Command {
  const root = new Command("setpoint")
    .option("--data <dir>", "where")
    .option("-n, --namespace <name>", "namespace")
    .addOption(new Option("-o, --output <format>").choices(["json", "yaml"]))
    .option("--verbose", "more")
  root.command("get").argument("<kind>").argument("[names...]").option("-w, --watch", "go on")
  root.command("approve").argument("<plan>")
  root.command("stop").argument("[loop]").option("--deletes", "only deletes")
  root.command("up").argument("[path]")
  root.command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]))
  const checkpoint = root.command("checkpoint")
  checkpoint.command("create").argument("<loop>").argument("<name>")
  checkpoint.command("list").argument("[loop]")
  root.command("complete", { hidden: true })
  return root
}

const wanted = (...words: readonly string[]) => wantedWord(parser(), words)

describe("the word that is asked for", () => {
  it("is a command that people may see, and then its subcommand", () => {
    expect(wanted("").choices).toContain("get")
    expect(wanted("").choices).not.toContain("complete")
    expect(wanted("checkpoint", "").choices).toEqual(["create", "list"])
  })

  it("is an option after a dash: the command's own and those of all", () => {
    expect(wanted("get", "-").choices).toEqual([
      ...["--watch", "--data", "--namespace", "--output", "--verbose", "--help"],
    ])
    expect(wanted("stop", "x", "--d").choices).toContain("--deletes")
  })

  it("is a value after an option that takes one, also where the shell splits at =", () => {
    expect(wanted("get", "files", "-o", "").choices).toEqual(["json", "yaml"])
    expect(wanted("--output", "=", "j")).toMatchObject({ typed: "j", choices: ["json", "yaml"] })
    expect(wanted("get", "-n", "")).toMatchObject({ choices: [], names: "namespace" })
    expect(wanted("completion", "").choices).toEqual(["bash", "zsh"])
  })

  it("is a name of what the argument is called", () => {
    expect(wanted("stop", "").names).toBe("loop")
    expect(wanted("stop", "--deletes", "").names).toBe("loop")
    expect(wanted("approve", "si").names).toBe("plan")
    expect(wanted("get", "").names).toBe("kind")
    expect(wanted("get", "files", "a", "")).toMatchObject({
      names: "object",
      before: ["files", "a"],
    })
    expect(wanted("checkpoint", "create", "").names).toBe("loop")
  })

  it("is anything where a new name, a file or nothing more belongs", () => {
    expect(wanted("checkpoint", "create", "site", "")).toMatchObject({ choices: [] })
    expect(wanted("checkpoint", "create", "site", "").names).toBeUndefined()
    expect(wanted("up", "")).toMatchObject({ choices: [] })
    expect(wanted("approve", "one", "")).toMatchObject({ choices: [] })
    expect(wanted("approve", "one", "").names).toBeUndefined()
  })

  it("knows which plane is meant", () => {
    const { options } = wanted("--data", "/srv/plane", "-n", "team", "stop", "")
    expect([...options]).toEqual([
      ["data", "/srv/plane"],
      ["namespace", "team"],
    ])
    expect(wanted("stop", "--data=/x", "").options.get("data")).toBe("/x")
  })
})
