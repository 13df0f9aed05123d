// Prints what a process wrote, page by page, and with --follow what comes, until the person ends
// it.

import { sleep } from "../base/clock.ts"
import { isObject, type Json } from "../base/json.ts"
import { jsonText } from "../base/json-text.ts"
import { systemClock } from "../base/system.ts"
import type { Cli } from "./command.ts"
import type { LogsOptions } from "./commands/logs.ts"
import { exitCode } from "./exit-codes.ts"
import { printable } from "./render/printable.ts"
import { findObject, keyOf, servedKinds } from "./resolve-kinds.ts"

const everyMs = 300

interface Page {
  readonly text: string
  readonly next: string
  readonly more: boolean
}

export async function runLogs(
  cli: Cli,
  words: readonly string[],
  options: LogsOptions,
): Promise<number> {
  const client = cli.connect()
  const [only = ""] = words
  const named = words.length === 1 && !only.includes("/") ? ["process", only] : words
  const key = keyOf(findObject(await servedKinds(client), named), cli.options().namespace)
  const ask = async (query: Record<string, string>): Promise<Page> =>
    readPage(
      await client.call(
        "GET",
        `/setpoint/v1/log?${new URLSearchParams({ object: key, ...query })}`,
      ),
    )
  const stop = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  const show = writer(cli)
  const previous = options.previous === true
  const which: Record<string, string> = previous ? { previous: "true" } : {}
  let page = await ask({ ...which, ...(options.tail === undefined ? {} : { tail: options.tail }) })
  show.add(page)
  // The run before the last one has ended: nothing comes any more.
  while (page.more || (options.follow === true && !previous)) {
    if (!page.more && !(await sleep(systemClock, everyMs, stop.signal))) break
    page = await ask({ ...which, after: page.next })
    show.add(page)
  }
  return show.end()
}

/** Whole lines for people, what a terminal would obey made visible; pages for programs. */
function writer(cli: Cli): { add(page: Page): void; end(): number } {
  const { output } = cli.options()
  const machine = output === "json" || output === "yaml"
  let rest = ""
  const say = (line: string) => {
    cli.terminal.print(cli.terminal.interactive ? printable(line) : line)
  }
  return {
    add(page) {
      if (machine) {
        if (page.text !== "") cli.terminal.print(jsonText({ ...page }))
        return
      }
      const lines = (rest + page.text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) say(line)
    },
    end() {
      if (rest !== "") say(rest)
      return exitCode.ok
    },
  }
}

function readPage(answer: Json): Page {
  const { text, next, more } = isObject(answer) ? answer : {}
  return {
    text: typeof text === "string" ? text : "",
    next: typeof next === "string" ? next : "",
    more: more === true,
  }
}
