// Many targets at once: made, kept, quiet, and not destroyed by the dozen.

import { must } from "../conformance/bench.ts"
import type { Scenario } from "./scenario.ts"
import { goesQuiet, heldAs, untouched } from "./scenarios-calm.ts"

export const manyTargets: Scenario = {
  name: "many-targets",
  promise:
    "A thousand targets converge, go quiet, heal where they drift and are not pruned at once.",
  async play(stage) {
    const { parts, system } = stage
    const count = Math.min(parts.targets, parts.driver.targetsMax ?? parts.targets)
    const all = Array.from({ length: count }, (_, index) => index)
    const began = parts.clock.monotonic()
    const taken = () => `${((parts.clock.monotonic() - began) / 1000).toFixed(1)} s`
    await system.foreign()
    const theirs = await stage.snapshot()
    stage.declare(...all)
    await stage.ready(all, 250)
    parts.print?.(`${count} targets of ${stage.kind.kind}: made after ${taken()}`)
    await stage.mustBe(all)
    const ours = all.map((n) => stage.identity(n))
    await untouched(stage, theirs, `making ${count} targets`, ...ours)
    await goesQuiet(stage)
    parts.print?.(`${count} targets of ${stage.kind.kind}: quiet after ${taken()}`)
    const before = await stage.snapshot()
    const some = all.filter((n) => n % Math.ceil(count / 5) === 0)
    for (const n of some) await system.remove(stage.spec(n))
    await stage.becomes("what was taken away comes back", ...some)
    await untouched(stage, before, "healing some", ...some.map((n) => stage.identity(n)))
    parts.print?.(`${count} targets of ${stage.kind.kind}: healed after ${taken()}`)
    stage.declare(...all.slice(0, Math.ceil(count / 2)))
    await heldAs(stage, "delete")
    await stage.calm()
    must((await stage.snapshot()).size === before.size, "half of the targets were pruned at once")
    return undefined
  },
}
