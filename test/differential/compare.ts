// Runs one sequence on both servers, request by request, and says where they part. After answers
// that part, the objects may too: the rest of the sequence then says nothing.

import { isDeepStrictEqual } from "node:util"
import type { Comparable } from "./comparable.ts"
import type { ComparedServer } from "./compared-server.ts"
import { knownDifferences, uncompared } from "./known-differences.ts"
import type { Request } from "./request-parts.ts"

export interface Compared {
  readonly requests: number
  /** What was excused, by the name of the difference. */
  readonly excused: readonly string[]
  readonly difference?: Difference
}

export interface Difference {
  readonly asked: Request
  readonly theirs: Comparable
  readonly ours: Comparable
}

export async function compare(
  theirs: ComparedServer,
  ours: ComparedServer,
  sequence: readonly Request[],
  namespace: string,
): Promise<Compared> {
  const [theirAnswers, ourAnswers] = [
    theirs.run(sequence, namespace),
    ours.run(sequence, namespace),
  ]
  const excused: string[] = []
  for (const [at, asked] of sequence.entries()) {
    const [their, our] = await Promise.all([theirAnswers.next(), ourAnswers.next()])
    if (their.done || our.done) break
    if (isEqual(asked, their.value, our.value)) continue
    const known = knownDifferences.find((one) => one.excuses(asked, their.value, our.value))
    if (known === undefined) {
      const difference = { asked, theirs: their.value, ours: our.value }
      return { requests: at + 1, excused, difference }
    }
    excused.push(known.what)
    const refused = [their.value, our.value].every(({ status }) => status === 0 || status >= 400)
    if (asked.method !== "GET" && !refused) return { requests: at + 1, excused }
  }
  return { requests: sequence.length, excused }
}

const isEqual = (asked: Request, a: Comparable, b: Comparable): boolean =>
  isDeepStrictEqual(withoutMessage(asked, a), withoutMessage(asked, b))

/** Also without what is never the same. */
function withoutMessage({ path }: Request, { message: _, ...rest }: Comparable): object {
  if (path.includes("/things")) return rest
  const text = JSON.stringify(rest)
  const left = uncompared.reduce((body, { member }) => body.replaceAll(member, ""), text)
  return JSON.parse(left.replaceAll(/,([}\]])/g, "$1"))
}
