// The end of a log, page by page: whole lines, only so many, and what a terminal would obey made
// visible. Pure.

import { visible } from "../../ui/visible.ts"

export interface LogPage {
  readonly text: string
  readonly next: string
  readonly more: boolean
}

export interface LogText {
  readonly lines: readonly string[]
  /** What came after the last line end. */
  readonly rest: string
  readonly dropped: number
}

export const logsMax = 2000
const lineMax = 4000

export const emptyLog: LogText = { lines: [], rest: "", dropped: 0 }

export function addLog({ lines, rest, dropped }: LogText, { text }: LogPage): LogText {
  if (text === "") return { lines, rest, dropped }
  const parts = (rest + text).split("\n")
  const last = (parts.pop() ?? "").slice(-lineMax)
  const all = [...lines, ...parts.map(shown)]
  const over = Math.max(0, all.length - logsMax)
  return { lines: all.slice(over), rest: last, dropped: dropped + over }
}

export const logLines = ({ lines, rest }: LogText): readonly string[] =>
  rest === "" ? lines : [...lines, shown(rest)]

const shown = (line: string): string =>
  visible(line.length > lineMax ? `${line.slice(0, lineMax)}…` : line)
