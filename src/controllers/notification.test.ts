import { describe, expect, it } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { templateIssue } from "../contract/message-template.ts"
import type { Alarm } from "../contract/notification.ts"
import { messageBody, newsOf, nextNewsAt, remember, type Told } from "./notification.ts"
import { notifierSpecOf } from "./notifier-spec.ts"

const specOf = (spec: JsonObject) =>
  notifierSpecOf({
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Notifier",
    metadata: { name: "n" },
    spec: { on: ["Held", "Stopped"], for: "10s", ...spec },
  })
const held: Alarm = {
  ...{ key: "held/default.site/p1", type: "Held", loop: "default.site", since: 1000 },
  ...{ subject: "plan p1", message: "40 deletes", next: "setpoint plans p1" },
}
const plain = specOf({ webhook: { url: "https://example.com" } })

describe("what is news", () => {
  it("is an alarm that lasted for long enough, once, and then its end", () => {
    const facts = { spec: plain, alarms: [held], isInDoubt: () => false }
    expect(newsOf({ ...facts, told: [], now: 10_999 })).toEqual([])
    expect(nextNewsAt({ ...facts, told: [] })).toBe(11_000)
    const [first] = newsOf({ ...facts, told: [], now: 11_000 })
    expect(first).toEqual({ state: "firing", alarm: held })
    const told = first === undefined ? [] : remember([], first, 11_000)
    expect(newsOf({ ...facts, told, now: 99_000_000 })).toEqual([])
    const [ended] = newsOf({ ...facts, alarms: [], told, now: 12_000 })
    expect(ended).toMatchObject({ state: "resolved", alarm: { subject: "plan p1" } })
    expect(ended === undefined ? told : remember(told, ended, 12_000)).toEqual([])
  })

  it("is no end that nobody can be sure of yet", () => {
    const told: readonly Told[] = [
      { key: held.key, type: "Held", subject: "plan p1", since: 1000, toldAt: 11_000 },
    ]
    const facts = { spec: plain, alarms: [], told, now: 12_000 }
    expect(newsOf({ ...facts, isInDoubt: () => true })).toEqual([])
    expect(newsOf({ ...facts, isInDoubt: () => false })).toHaveLength(1)
  })

  it("is told again when that is asked for, and its end only when that is wanted", () => {
    const told: readonly Told[] = [
      { key: held.key, type: "Held", subject: "plan p1", since: 1000, toldAt: 11_000 },
    ]
    const repeat = specOf({ webhook: {}, repeat: "1h", resolved: false })
    const facts = { spec: repeat, alarms: [held], told, isInDoubt: () => false }
    expect(newsOf({ ...facts, now: 11_000 + 3_599_999 })).toEqual([])
    expect(newsOf({ ...facts, now: 11_000 + 3_600_000 })).toHaveLength(1)
    expect(newsOf({ ...facts, alarms: [], now: 12_000 })).toEqual([])
  })
})

describe("a message", () => {
  const news = { state: "firing", alarm: { ...held, message: 'say "no"\n${plane}' } } as const

  it("holds all facts, or a sentence", () => {
    const facts = JSON.parse(messageBody(plain, "plane-1", news))
    expect(facts).toMatchObject({ version: 1, state: "firing", type: "Held", plane: "plane-1" })
    const slack = specOf({ webhook: { format: "Slack" } })
    const { text } = JSON.parse(messageBody(slack, "plane-1", news))
    expect(text).toContain("Held in default.site: plan p1: say")
    expect(text).toContain("setpoint plans p1")
  })

  it("is filled into a template, out of whose quotes no fact breaks", () => {
    const template = '{"a":"${message}","b":"${subject} of ${loop}"}'
    const own = specOf({ webhook: { format: "Template", template } })
    const filled = JSON.parse(messageBody(own, "plane-1", news))
    expect(filled).toEqual({ a: 'say "no"\n${plane}', b: "plan p1 of default.site" })
    const text = specOf({
      webhook: { format: "Template", template: "${type}: ${message}", contentType: "text/plain" },
    })
    expect(messageBody(text, "p", { ...news, alarm: held })).toBe("Held: 40 deletes")
  })

  it("has no template with unknown facts or broken JSON", () => {
    expect(templateIssue('{"a":"${message}"}', "application/json")).toBeUndefined()
    expect(templateIssue("${message}", "text/plain")).toBeUndefined()
    expect(templateIssue('{"a":"${secret}"}', "application/json")).toContain("is not known")
    expect(templateIssue('{"a":${message}}', "application/json")).toContain("no JSON")
  })
})
