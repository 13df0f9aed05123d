// From an offset in a text to line and column, both counted from 1. Keeps four bytes per line and
// not the text itself, so that 100,000 manifests can be located without holding their files.

import type { Position } from "../../contract/source.ts"

export interface LineIndex {
  at(offset: number): Position
}

export function lineIndex(file: string, text: string): LineIndex {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  const compact = Uint32Array.from(starts)
  return {
    at(offset) {
      let low = 0
      let high = compact.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((compact[middle] ?? 0) <= offset) low = middle
        else high = middle - 1
      }
      return { file, line: low + 1, column: offset - (compact[low] ?? 0) + 1 }
    },
  }
}
