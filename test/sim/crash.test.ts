import { expect, it } from "vitest"
import { CrashPoints } from "../../src/sim/crash-points.ts"
import { type CrashOptions, crashSuite, live } from "./crash-suite.ts"

crashSuite([
  ["single", { flavour: "single" }],
  ["list", { flavour: "list" }],
  ["batch", { flavour: "batch" }],
])

it("notices what can't be mended: a create without identity that a crash cut off", async () => {
  const counting = new CrashPoints()
  const options: CrashOptions = { identityRule: "none" }
  await live(options, [counting])
  const at = counting.names.indexOf("after Widget.create") + 1
  const crashed = live(options, [new CrashPoints({ crashAt: at })])
  await expect(crashed).rejects.toThrow()
})
