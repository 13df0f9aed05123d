import { describe, expect, it } from "vitest"
import type { SignalSpec } from "../contract/invariant.ts"
import type { ApiObject } from "../object/object.ts"
import { advance, type Hysteresis, signalSpecOf } from "./signal-spec.ts"

const signal = (spec: ApiObject["spec"]): ApiObject => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Signal",
  metadata: { name: "latency", namespace: "default" },
  ...(spec === undefined ? {} : { spec }),
})

function need(spec: ApiObject["spec"]): SignalSpec {
  const found = signalSpecOf(signal(spec))
  if (found === undefined) throw new Error("no spec")
  return found
}

const command = { argv: ["/bin/true"] }

function states(spec: SignalSpec, values: readonly number[]): string[] {
  let now: Hysteresis = { state: "Ok", inRow: 0 }
  return values.map((value) => {
    now = advance(now, value, spec)
    return now.state
  })
}

describe("a signal's state", () => {
  it("changes only after so many readings in a row", () => {
    const spec = need({ command, breach: { above: 100 }, for: 2 })
    expect(states(spec, [101, 99, 101, 101, 99, 101, 99, 99])).toEqual([
      "Ok",
      "Ok",
      "Ok",
      "Breached",
      "Breached",
      "Breached",
      "Breached",
      "Ok",
    ])
  })

  it("is good again only where it says so", () => {
    const spec = need({ command, breach: { above: 100 }, clear: { above: 50 } })
    expect(states(spec, [101, 60, 51, 50])).toEqual(["Breached", "Breached", "Breached", "Ok"])
    const low = need({ command, breach: { below: 1 } })
    expect(states(low, [0, 1])).toEqual(["Breached", "Ok"])
  })

  it("never changes without limits", () => {
    expect(states(need({ command }), [1e9, -1e9])).toEqual(["Ok", "Ok"])
  })
})

it("a signal is stale after three intervals, unless it says otherwise", () => {
  expect(need({ command, interval: "10s" })).toMatchObject({ staleAfterMs: 30_000 })
  expect(need({ command, staleAfter: "1m" })).toMatchObject({ staleAfterMs: 60_000 })
  expect(signalSpecOf(signal({}))).toBeUndefined()
})
