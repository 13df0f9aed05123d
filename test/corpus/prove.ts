// One proof of a row of the fault corpus: the same scenario is run twice in the real code, once as
// it is, when its promise must hold, and once with exactly one protection switched off, when that
// promise must break. A twin that still holds fails: then the protection is not what holds it, or
// the scenario can't fail.

import { expect, it } from "vitest"
import { disarm, type Protection, protections } from "../../src/base/protections.ts"
import { corpus } from "./rows.ts"

/** Says what is promised; everything else that a scenario expects is only its way there. */
export type Must = (check: () => unknown) => Promise<void>

export type Scenario = (must: Must) => Promise<void>

class Broken extends Error {}

async function must(check: () => unknown): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw new Broken(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

export function prove(id: string, protection: Protection, scenario: Scenario): void {
  const promise = corpus.find((row) => row.id === id)?.proofs?.[protection]
  if (promise === undefined) throw new Error(`row ${id} does not name ${protection}`)
  it(`${id} ${promise}`, () => scenario(must))
  it(`${id} twin: without ${protection} it is lost`, async () => {
    const arm = disarm(protection)
    try {
      const lost = await scenario(must).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(lost, `it holds although nothing sees to it that ${protections[protection]}`).toEqual(
        expect.any(Broken),
      )
    } finally {
      arm()
    }
  })
}
