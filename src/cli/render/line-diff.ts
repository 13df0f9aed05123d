// Two texts as a unified diff of lines: what stays is shown only around what changes, and a long
// one is cut in the middle. Texts too large to compare by lines are shown as removed and added.

export interface DiffLine {
  readonly mark: " " | "-" | "+" | "…"
  readonly text: string
}

const contextLines = 2
const cellsMax = 1_000_000
const shownMax = 40

export function lineDiff(before: string, after: string, max = shownMax): DiffLine[] {
  const [left, right] = [linesOf(before), linesOf(after)]
  const all = compare(left, right)
  return cut(aroundChanges(all), max)
}

/** A last line without a newline is told from one with it. */
function linesOf(text: string): string[] {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  else lines[lines.length - 1] += "  (no newline at the end)"
  return lines
}

function compare(left: readonly string[], right: readonly string[]): DiffLine[] {
  let head = 0
  while (head < left.length && head < right.length && left[head] === right[head]) head++
  let tail = 0
  const rest = Math.min(left.length, right.length) - head
  while (tail < rest && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: " ", text }))
  const middle = longest(
    left.slice(head, left.length - tail),
    right.slice(head, right.length - tail),
  )
  return [...same(left.slice(0, head)), ...middle, ...same(left.slice(left.length - tail))]
}

/** By the longest common subsequence; what is too large for that is replaced as a whole. */
function longest(left: readonly string[], right: readonly string[]): DiffLine[] {
  const removed = left.map((text): DiffLine => ({ mark: "-", text }))
  const added = right.map((text): DiffLine => ({ mark: "+", text }))
  if (left.length * right.length > cellsMax) return [...removed, ...added]
  const width = right.length + 1
  const lengths = new Uint32Array((left.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push({ mark: " ", text: left[row] ?? "" })
      row++
      column++
    } else if (row < left.length && at(row + 1, column) >= at(row, column + 1)) {
      lines.push(removed[row++] as DiffLine)
    } else if (column < right.length) lines.push(added[column++] as DiffLine)
    else lines.push(removed[row++] as DiffLine)
  }
  return lines
}

function aroundChanges(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(lines.length)
  for (const [index, line] of lines.entries()) {
    if (line.mark === " ") continue
    for (let by = -contextLines; by <= contextLines; by++) near[index + by] = 1
  }
  const shown: DiffLine[] = []
  let hidden = 0
  const flush = () => {
    if (hidden > 0) shown.push({ mark: "…", text: `${hidden} equal lines` })
    hidden = 0
  }
  for (const [index, line] of lines.entries()) {
    if (near[index] === 1) {
      flush()
      shown.push(line)
    } else hidden++
  }
  flush()
  return shown
}

function cut(lines: readonly DiffLine[], max: number): DiffLine[] {
  if (lines.length <= max) return [...lines]
  const half = Math.floor(max / 2)
  const left: DiffLine = { mark: "…", text: `${lines.length - 2 * half} more lines` }
  return [...lines.slice(0, half), left, ...lines.slice(-half)]
}
