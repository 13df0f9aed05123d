import { expect, it } from "vitest"
import { withoutSecrets } from "./secrets.ts"

it("keeps out of outputs what is secret, also inside of lists and objects", () => {
  const desired = { secretEnv: [{ name: "Run", value: "s3cret" }], key: { secret: "k3y" } }
  const outputs = { pid: 1, line: "began with s3cret", url: "http://u:k3y@host", phase: "Running" }
  const shown = withoutSecrets(outputs, ["secretEnv", "key.secret"], desired)
  expect(shown).toEqual({ pid: 1, phase: "Running" })
})
