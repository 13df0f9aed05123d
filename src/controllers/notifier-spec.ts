// What a Notifier object asks for, as the keeper works with it, and which placeholders a template
// may hold. Pure.

import { parseDuration } from "../base/clock.ts"
import { at, isArray, isObject, type Json } from "../base/json.ts"
import { type AlarmType, alarmTypes } from "../contract/notification.ts"
import type { ApiObject } from "../object/object.ts"

export interface SecretKeyRef {
  readonly name: string
  readonly key: string
}

export interface NotifierSpec {
  readonly url: string | undefined
  readonly urlFrom: SecretKeyRef | undefined
  readonly format: "Json" | "Slack" | "Template"
  readonly template: string
  readonly contentType: string
  readonly headersFrom: readonly { readonly header: string; readonly valueFrom: SecretKeyRef }[]
  readonly signingKeyFrom: SecretKeyRef | undefined
  readonly on: ReadonlySet<AlarmType>
  readonly loops: ReadonlySet<string>
  readonly forMs: number
  /** 0: never again. */
  readonly repeatMs: number
  readonly resolved: boolean
}

export function notifierSpecOf({ spec = {} }: ApiObject): NotifierSpec {
  const webhook = at(spec, "webhook")
  const format = at(webhook, "format")
  return {
    url: textOf(at(webhook, "url")),
    urlFrom: secretKeyOf(at(webhook, "urlFrom")),
    format: format === "Slack" || format === "Template" ? format : "Json",
    template: textOf(at(webhook, "template")) ?? "",
    contentType: textOf(at(webhook, "contentType")) ?? "application/json",
    headersFrom: listOf(at(webhook, "headersFrom")).flatMap((one) => {
      const valueFrom = secretKeyOf(at(one, "valueFrom"))
      const header = textOf(at(one, "header"))
      return header === undefined || valueFrom === undefined ? [] : [{ header, valueFrom }]
    }),
    signingKeyFrom: secretKeyOf(at(webhook, "signingKeyFrom")),
    on: new Set(alarmTypes.filter((type) => listOf(at(spec, "on")).includes(type))),
    loops: new Set(listOf(at(spec, "loops")).filter((one) => typeof one === "string")),
    forMs: parseDuration(textOf(at(spec, "for")) ?? "10s") ?? 10_000,
    repeatMs: parseDuration(textOf(at(spec, "repeat")) ?? "") ?? 0,
    resolved: at(spec, "resolved") !== false,
  }
}

/** Every Secret that it takes a value from. */
export function secretsOf(spec: NotifierSpec): readonly SecretKeyRef[] {
  const { urlFrom, signingKeyFrom, headersFrom } = spec
  const all = [urlFrom, signingKeyFrom, ...headersFrom.map(({ valueFrom }) => valueFrom)]
  return all.filter((one) => one !== undefined)
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

const listOf = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : [])

function secretKeyOf(value: Json | undefined): SecretKeyRef | undefined {
  if (!isObject(value) || typeof value.name !== "string" || typeof value.key !== "string") {
    return undefined
  }
  return { name: value.name, key: value.key }
}
