// Where the demo prints, with the counters on the line below everything: on a terminal they are
// drawn again and again, elsewhere there are none.

import { printable } from "../render/printable.ts"
import type { Style, Terminal } from "../terminal.ts"
import { type Counters, counterLine, wrapLine } from "./screen.ts"

const drawMs = 200

export class Display {
  /** What the demo waits for; empty when it waits for a key. */
  waiting = ""
  readonly #terminal: Terminal
  readonly #counters: () => Omit<Counters, "waiting">
  #timer: NodeJS.Timeout | undefined

  constructor(terminal: Terminal, counters: () => Omit<Counters, "waiting">) {
    this.#terminal = terminal
    this.#counters = counters
  }

  /** From now on with counters. */
  live(): void {
    this.#timer ??= setInterval(() => this.#draw(), drawMs)
  }

  close(): void {
    clearInterval(this.#timer)
    if (this.#timer !== undefined) this.#terminal.draw("")
    this.#timer = undefined
  }

  print(text: string): void {
    if (this.#timer !== undefined) this.#terminal.draw("")
    this.#terminal.print(text)
    this.#draw()
  }

  /** Text from elsewhere, indented, in lines that fit. */
  say(text: string, style?: Style): void {
    const { interactive, columns } = this.#terminal
    const width = interactive ? columns - 1 : Number.POSITIVE_INFINITY
    const lines = wrapLine(`  ${printable(text)}`, width)
    const painted = lines.map((line) => {
      return style === undefined ? line : this.#terminal.paint(style, line)
    })
    this.print(painted.join("\n"))
  }

  command(text: string): void {
    this.print(this.#terminal.paint("cyan", `$ ${text}`))
  }

  #draw(): void {
    if (this.#timer === undefined) return
    const counters = { ...this.#counters(), waiting: this.waiting }
    this.#terminal.draw(counterLine(counters, this.#terminal.columns))
  }
}
