// Where a command writes and what it may assume about it: colours and progress only on a terminal.

import { styleText } from "node:util"

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"

export interface Terminal {
  /** A person is looking. */
  readonly interactive: boolean
  readonly columns: number
  print(text: string): void
  /** Errors, hints and progress; never data. */
  note(text: string): void
  /** Draws over the current line; an empty text clears it. Only on a terminal. */
  draw(text: string): void
  paint(style: Style, text: string): string
}

export function processTerminal(): Terminal {
  const interactive = process.stdout.isTTY === true
  const noColor = process.env.NO_COLOR
  const colours = interactive && (noColor === undefined || noColor === "")
  // A reader that went away (`| head`) ends the command and is no error.
  process.stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") process.exit(0)
    throw error
  })
  return {
    interactive,
    get columns() {
      return process.stdout.columns ?? 100
    },
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    draw: (text) => {
      if (interactive) process.stdout.write(`\r\u001b[2K${text}`)
    },
    paint: (style, text) => (colours ? styleText(style, text) : text),
  }
}
