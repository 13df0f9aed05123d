// One promise and its twin: the same scenario with everything armed, and without one protection.

import { expect, it } from "vitest"
import { disarm, type Protection } from "../../src/base/protections.ts"

/** The scenario answers whether the promise held. */
export function twin(
  protection: Protection,
  promise: string,
  scenario: () => Promise<boolean>,
): void {
  it(promise, async () => {
    expect(await scenario()).toBe(true)
  })
  it(`${promise}: not without ${protection}`, async () => {
    const arm = disarm(protection)
    try {
      expect(await scenario()).toBe(false)
    } finally {
      arm()
    }
  })
}
