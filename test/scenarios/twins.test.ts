// Gate: each scenario can fail. A provider that is wrong in one way, put in the place of the right
// one, is caught by the scenario of its name; so is a plane without the protection that it shows.

import { afterEach, describe, expect, it } from "vitest"
import { disarm, type Protection } from "../../src/base/protections.ts"
import { fileScenarios } from "../../src/providers/file/testing/scenario-driver.ts"
import {
  providerScenarios,
  type ScenarioDriver,
  type ScenarioName,
  type ScenarioOptions,
  wrongProviders,
} from "../../src/testing.ts"
import { noteScenarios } from "./note-driver.ts"
import { extent } from "./scenario-tests.ts"

/** A step that is never reached must not take a minute to say so. */
const patient = (driver: ScenarioDriver) => ({ ...driver, deadlineMs: 6000 })

/** Where the plane's time hurries, a busy machine may have none left in which to do wrong. */
async function verdictOf(
  name: ScenarioName,
  driver: ScenarioDriver,
  options: ScenarioOptions = {},
): Promise<string> {
  const verdict = await verdictAt(10, name, driver, options)
  return verdict === "passes" ? verdictAt(2, name, driver, options) : verdict
}

async function verdictAt(
  hurry: number,
  name: ScenarioName,
  driver: ScenarioDriver,
  options: ScenarioOptions,
): Promise<string> {
  const found = providerScenarios(patient(driver), { ...extent, crashes: 3, hurry, ...options })
  try {
    await found.find((scenario) => scenario.name === name)?.play()
    return "passes"
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What catches each, so that it is not caught by something else. */
const caught: Readonly<Record<keyof typeof wrongProviders, RegExp>> = {
  create: /is not as declared in/,
  drift: /is healed/,
  delete: /its target is still there/,
  adopt: /adopt is held|touched/,
  import: /is Ready|touched/,
  foreign: /the plane's work touched note/,
  stale: /a stale update changed what somebody had made/,
  credentials: /is not Ready: True/,
  "server-stopped": /acts are said to be done/,
  "partial-answer": /on half an answer/,
  "plane-killed": /targets, \d+ wanted/,
  "observer-lies": /a second create is said to be done|the lie was acted on/,
  "many-targets": /not Ready/,
}

describe("a wrong provider is caught", () => {
  for (const [name, { wrong, spoil }] of Object.entries(wrongProviders)) {
    const scenario = name as keyof typeof wrongProviders
    const driver = scenario === "import" ? fileScenarios : noteScenarios
    it.concurrent(`${name}: ${wrong}`, async () => {
      expect(await verdictOf(scenario, driver, { spoil })).toMatch(caught[scenario])
    })
  }
})

describe("a plane without its protection is caught", () => {
  const armed: (() => void)[] = []
  afterEach(() => {
    for (const arm of armed.splice(0)) arm()
  })

  const twins: readonly (readonly [ScenarioName, readonly Protection[], RegExp])[] = [
    ["source-emptied", ["delete-limit", "emptying-holds", "source-shrunk"], /delete is held/],
    ["partial-answer", ["partial-list-is-doubt"], /half an answer|dropped target goes/],
    ["observer-lies", ["vanished-targets"], /create is held/],
  ]
  it.each(twins)("%s without %s", async (name, protections, words) => {
    for (const protection of protections) armed.push(disarm(protection))
    expect(await verdictOf(name, noteScenarios)).toMatch(words)
  })
})
