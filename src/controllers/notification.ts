// What is told of alarms: which of them are news, and the text of a message. Pure.

import { toTimestamp } from "../base/clock.ts"
import { jsonText } from "../base/json-text.ts"
import { fillTemplate, type MessageFacts } from "../contract/message-template.ts"
import { type Alarm, type AlarmType, alarmTypes } from "../contract/notification.ts"
import type { NotifierSpec } from "./notifier-spec.ts"

/** An alarm that was told; kept in the notifier's status, so that a restart repeats nothing. */
export interface Told {
  readonly key: string
  readonly type: AlarmType
  readonly subject: string
  readonly loop?: string
  readonly since: number
  readonly toldAt: number
}

export interface News {
  readonly state: "firing" | "resolved"
  readonly alarm: Alarm
}

/** More than this at once are not remembered one by one. */
export const toldMax = 200

export interface NewsFacts {
  readonly spec: NotifierSpec
  readonly alarms: readonly Alarm[]
  readonly told: readonly Told[]
  /** That it is over is no more known than that it is not. */
  isInDoubt(told: Told): boolean
  readonly now: number
}

/** What was told and is over for sure. */
export function endedOf(facts: Pick<NewsFacts, "alarms" | "told" | "isInDoubt">): readonly Told[] {
  const open = new Set(facts.alarms.map(({ key }) => key))
  return facts.told.filter((one) => !open.has(one.key) && !facts.isInDoubt(one))
}

/** What has to be told now, in order. */
export function newsOf(facts: NewsFacts): readonly News[] {
  const { spec, alarms, told, now } = facts
  const known = new Map(told.map((one) => [one.key, one]))
  const ended = endedOf(facts).map((one): News => ({ state: "resolved", alarm: over(one) }))
  const begun = alarms.filter((alarm) => {
    const before = known.get(alarm.key)
    if (before === undefined) return now - alarm.since >= spec.forMs && known.size < toldMax
    return spec.repeatMs > 0 && now - before.toldAt >= spec.repeatMs
  })
  return [
    ...(spec.resolved ? ended : []),
    ...begun.map((alarm): News => ({ state: "firing", alarm })),
  ]
}

/** What is remembered when this was told, or needs no telling. */
export function remember(told: readonly Told[], news: News, now: number): readonly Told[] {
  const { key, type, subject, since, loop } = news.alarm
  const others = told.filter((one) => one.key !== key)
  if (news.state === "resolved") return others
  const named = loop === undefined ? {} : { loop }
  return [...others, { key, type, subject, since, toldAt: now, ...named }]
}

/** Wall time at which something becomes news though nothing changes. */
export function nextNewsAt(facts: Pick<NewsFacts, "spec" | "alarms" | "told">): number | undefined {
  const { spec, alarms, told } = facts
  const known = new Map(told.map((one) => [one.key, one]))
  const times = alarms.flatMap(({ key, since }) => {
    const before = known.get(key)
    if (before === undefined) return [since + spec.forMs]
    return spec.repeatMs > 0 ? [before.toldAt + spec.repeatMs] : []
  })
  return times.length === 0 ? undefined : Math.min(...times)
}

const over = ({ toldAt: _, ...told }: Told): Alarm => ({
  ...told,
  message: `${words[told.type]} no longer`,
  next: "setpoint status",
})

const words: Readonly<Record<AlarmType, string>> = {
  Held: "waits for a person",
  Stalled: "needs someone",
  Stopped: "is stopped",
  InvariantBroken: "is broken",
  SourceFailing: "can't be used",
}

function factsOf(plane: string, { state, alarm }: News): MessageFacts {
  const { type, loop = "", subject, message, since, next } = alarm
  return { plane, state, type, loop, subject, message, since: toTimestamp(since), next }
}

export function messageBody(spec: NotifierSpec, plane: string, news: News): string {
  const said = factsOf(plane, news)
  if (spec.format === "Template") return fillTemplate(spec.template, said, spec.contentType)
  if (spec.format === "Slack") return jsonText({ text: sentence(said) })
  return jsonText({ version: 1, ...said })
}

function sentence({ state, type, loop, subject, message, next }: MessageFacts): string {
  const where = loop === "" ? "" : ` in ${loop}`
  const what = `${type}${where}: ${subject}: ${message}`
  return state === "firing" ? `${what}\n${next}` : `resolved: ${what}`
}

/** The alarm that a person sends to see whether it arrives. */
export function testAlarm(by: string, now: number): Alarm {
  const message = `a test by ${by}; nothing is wrong`
  const [type] = alarmTypes
  return { key: "test", type, subject: "test", message, since: now, next: "setpoint status" }
}
