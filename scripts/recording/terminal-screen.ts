// A small terminal: takes what a program writes and keeps what would stand on the screen, with
// colours. Only what our own programs use: text, line feeds, carriage returns, clearing a line, and
// the plain colours. Pure.

export interface Style {
  readonly colour: string
  readonly bold: boolean
  readonly dim: boolean
}

export interface Cell {
  readonly text: string
  readonly style: Style
}

const plain: Style = { colour: "", bold: false, dim: false }
const blank: Cell = { text: " ", style: plain }

const colours: Readonly<Record<number, string>> = {
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan",
}

export class TerminalScreen {
  readonly columns: number
  readonly rows: number
  #cells: Cell[][]
  #row = 0
  #column = 0
  #style = plain
  #rest = ""

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
    this.#cells = Array.from({ length: rows }, () => [])
  }

  write(text: string): void {
    const given = this.#rest + text
    this.#rest = ""
    for (let at = 0; at < given.length; ) {
      if (given[at] !== "\u001b") {
        const [letter = ""] = given.slice(at)
        this.#put(letter)
        at += letter.length
        continue
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escapes are made of.
      const sequence = /^\u001b\[([\d;?]*)([A-Za-z])/.exec(given.slice(at, at + 20))
      if (sequence === null) {
        if (given.length - at < 20) this.#rest = given.slice(at)
        else at++
        if (this.#rest !== "") return
        continue
      }
      this.#escape(sequence[1] ?? "", sequence[2] ?? "")
      at += sequence[0].length
    }
  }

  /** Without the blanks at their ends. */
  lines(): string[] {
    return this.#cells.map((row) =>
      Array.from(row, (cell) => cell?.text ?? " ")
        .join("")
        .trimEnd(),
    )
  }

  cells(): readonly (readonly Cell[])[] {
    return this.#cells.map((row) => Array.from(row, (cell) => cell ?? blank))
  }

  #put(letter: string): void {
    if (letter === "\r") this.#column = 0
    else if (letter === "\n") this.#feed()
    else if (letter >= " ") {
      if (this.#column >= this.columns) {
        this.#column = 0
        this.#feed()
      }
      const row = this.#cells[this.#row] ?? []
      row[this.#column] = { text: letter, style: this.#style }
      this.#column++
    }
  }

  #feed(): void {
    if (this.#row < this.rows - 1) this.#row++
    else this.#cells = [...this.#cells.slice(1), []]
  }

  #escape(parameters: string, command: string): void {
    if (command === "K") this.#cells[this.#row] = []
    else if (command === "m") {
      for (const one of parameters.split(";")) this.#style = styled(this.#style, Number(one))
    }
  }
}

function styled(style: Style, code: number): Style {
  if (code === 0) return plain
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, colour: "" }
  return { ...style, colour: colours[code] ?? style.colour }
}
