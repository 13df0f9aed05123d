// Two texts line by line: which went, which came, which stayed, with what stayed far away left out.
// Myers' way, bounded: texts that have too little in common are shown as one that went and one that
// came. Pure.

export interface DiffLine {
  readonly kind: "same" | "gone" | "new" | "skip"
  /** Of a skip: how many lines. */
  readonly text: string
}

const editsMax = 400
const linesMax = 20_000
const around = 3

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  return folded(allLines(before.split("\n"), after.split("\n")))
}

function allLines(one: readonly string[], two: readonly string[]): DiffLine[] {
  let head = 0
  while (head < one.length && head < two.length && one[head] === two[head]) head++
  let tail = 0
  const most = Math.min(one.length, two.length) - head
  while (tail < most && one[one.length - 1 - tail] === two[two.length - 1 - tail]) tail++
  const same = (texts: readonly string[]) => texts.map(lineOf("same"))
  return [
    ...same(one.slice(0, head)),
    ...middle(one.slice(head, one.length - tail), two.slice(head, two.length - tail)),
    ...same(one.slice(one.length - tail)),
  ]
}

const lineOf =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, text })

function middle(one: readonly string[], two: readonly string[]): DiffLine[] {
  const trace = one.length + two.length > linesMax ? undefined : edits(one, two)
  if (trace === undefined) return [...one.map(lineOf("gone")), ...two.map(lineOf("new"))]
  return walkBack(trace, one, two)
}

/** The furthest points for each number of edits; undefined when they are too many. */
function edits(one: readonly string[], two: readonly string[]): Map<number, number>[] | undefined {
  const trace: Map<number, number>[] = []
  let furthest = new Map<number, number>([[1, 0]])
  const most = Math.min(editsMax, one.length + two.length)
  for (let count = 0; count <= most; count++) {
    trace.push(new Map(furthest))
    const next = new Map(furthest)
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = startOf(furthest, diagonal, count)
      let y = x - diagonal
      while (x < one.length && y < two.length && one[x] === two[y]) {
        x++
        y++
      }
      next.set(diagonal, x)
      if (x >= one.length && y >= two.length) return trace
    }
    furthest = next
  }
  return undefined
}

const far = Number.NEGATIVE_INFINITY

/** Down (a line came) or right (a line went), whichever gets further. */
function startOf(furthest: ReadonlyMap<number, number>, diagonal: number, count: number): number {
  const down = furthest.get(diagonal + 1) ?? far
  const right = furthest.get(diagonal - 1) ?? far
  return goesDown(diagonal, count, down, right) ? down : right + 1
}

const goesDown = (diagonal: number, count: number, down: number, right: number): boolean =>
  diagonal === -count || (diagonal !== count && right < down)

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  one: readonly string[],
  two: readonly string[],
): DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [one.length, two.length]
  for (let count = trace.length - 1; count >= 0; count--) {
    const furthest = trace[count] ?? new Map<number, number>()
    const diagonal = x - y
    const down = furthest.get(diagonal + 1) ?? far
    const right = furthest.get(diagonal - 1) ?? far
    const came = goesDown(diagonal, count, down, right)
    const before = came ? diagonal + 1 : diagonal - 1
    const fromX = furthest.get(before) ?? 0
    const fromY = fromX - before
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      lines.push({ kind: "same", text: one[x - 1] ?? "" })
      x--
      y--
    }
    if (count === 0) break
    if (came) lines.push({ kind: "new", text: two[y - 1] ?? "" })
    else lines.push({ kind: "gone", text: one[x - 1] ?? "" })
    ;[x, y] = [fromX, fromY]
  }
  return lines.reverse()
}

function folded(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>()
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue
    for (let index = at - around; index <= at + around; index++) near.add(index)
  }
  const shown: DiffLine[] = []
  let skipped = 0
  const skip = () => {
    if (skipped > 0) shown.push({ kind: "skip", text: String(skipped) })
    skipped = 0
  }
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) {
      skip()
      shown.push(line)
    } else skipped++
  }
  skip()
  return shown
}
