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
  paint(style: Style, text: string): string
}

export function processTerminal(): Terminal {
  const interactive = process.stdout.isTTY === true
  const colours = interactive && process.env.NO_COLOR === undefined
  return {
    interactive,
    columns: process.stdout.columns ?? 100,
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    paint: (style, text) => (colours ? styleText(style, text) : text),
  }
}
