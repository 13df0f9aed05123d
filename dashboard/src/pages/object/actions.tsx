// What a person may do with the object here: look now, leave it alone for a time and end that, take
// charge of what was there, let go. Each asks first; the plane decides.

import { useSignal } from "@preact/signals"
import { may } from "../../live/may.ts"
import { ask } from "../../live/request.ts"
import { stops } from "../../live/status.ts"
import { refreshViews } from "../../live/view.ts"
import { ActionButton } from "../../ui/button.tsx"
import { visible } from "../../ui/visible.ts"
import { partsOf } from "../objects/object-row.ts"
import type { ObjectView } from "./object-view.ts"

interface ActionsProps {
  readonly view: ObjectView
}

async function post(path: string, body: object): Promise<void> {
  await ask(path, { method: "POST", body })
  await refreshViews()
}

export function Actions({ view }: ActionsProps) {
  const paused = stops.value.some((stop) => stop.object === view.object)
  const adopts = view.held.some(({ action }) => action.verb === "adopt")
  return (
    <div class="actions">
      {view.loop === "" ? null : <LookNow view={view} />}
      {paused ? <Resume view={view} /> : <Pause view={view} />}
      {adopts ? <Adopt view={view} /> : null}
      {view.loop === "" || view.composite === true ? null : <Release view={view} />}
    </div>
  )
}

/** Why they may not; undefined when they may, or nobody knows yet. */
function refusal(verb: string, object: string): string | undefined {
  const { type, namespace, name } = partsOf(object)
  const dot = type.indexOf(".")
  const [resource, group] = dot < 0 ? [type, ""] : [type.slice(0, dot), type.slice(dot + 1)]
  const { allowed, why } = may({ verb, resource, group, namespace, name }).value
  return allowed === false ? `You may not ${verb} it: ${why}` : undefined
}

/** Whoever may do it everywhere may do it here. */
function stopRefusal(verb: "stop" | "resume", object: string): string | undefined {
  const everywhere = may({ verb, resource: "planes", name: "local" }).value
  return everywhere.allowed === true ? undefined : refusal(verb, object)
}

function LookNow({ view }: ActionsProps) {
  const [namespace = "", ...rest] = view.loop.split(".")
  const { allowed, why } = may({
    ...{ verb: "look", resource: "loops", namespace, name: rest.join(".") },
  }).value
  return (
    <ActionButton
      label="Look now"
      title="Look now"
      verb="Look"
      disabledWhy={allowed === false ? why : undefined}
      explain={<p>{`Everything of loop ${visible(view.loop)} is observed and compared now.`}</p>}
      onConfirm={() => post(`/setpoint/v1/look?loop=${encodeURIComponent(view.loop)}`, {})}
    />
  )
}

const times = [
  ["15 minutes", 15],
  ["1 hour", 60],
  ["4 hours", 240],
  ["1 day", 1440],
] as const

function Pause({ view }: ActionsProps) {
  const minutes = useSignal(60)
  const reason = useSignal("")
  const pause = () => {
    const until = new Date(Date.now() + minutes.value * 60_000).toISOString()
    const why = reason.value.trim()
    return post("/setpoint/v1/stop", {
      ...{ loop: "*", object: view.object, scope: "all", until: until.replace(/\.\d+Z$/, "Z") },
      ...(why === "" ? {} : { reason: why }),
    })
  }
  return (
    <ActionButton
      label="Pause"
      title={`Pause ${visible(view.kind)} ${visible(view.name)}`}
      verb="Pause"
      disabledWhy={stopRefusal("stop", view.object)}
      explain={
        <>
          <p>It is observed and not acted on until the time is over.</p>
          <label class="field">
            <span>For</span>
            <select
              value={minutes.value}
              onChange={(event) => {
                minutes.value = Number(event.currentTarget.value)
              }}
            >
              {times.map(([text, count]) => (
                <option key={count} value={count}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <Reason reason={reason} label="Reason, for those who come later" />
        </>
      }
      onConfirm={pause}
    />
  )
}

function Resume({ view }: ActionsProps) {
  return (
    <ActionButton
      label="Resume"
      title={`Resume ${visible(view.kind)} ${visible(view.name)}`}
      verb="Resume"
      disabledWhy={stopRefusal("resume", view.object)}
      explain={<p>It is acted on again at once.</p>}
      onConfirm={() => post("/setpoint/v1/resume", { loop: "*", object: view.object })}
    />
  )
}

function Adopt({ view }: ActionsProps) {
  const namespace = view.namespace === "" ? "setpoint-system" : view.namespace
  const wanted = { verb: "approve", resource: "plans", subresource: "approval", namespace }
  const { allowed, why } = may(wanted).value
  return (
    <ActionButton
      label="Adopt"
      title={`Adopt ${visible(view.target ?? view.name)}`}
      verb="Adopt"
      disabledWhy={allowed === false ? why : undefined}
      explain={
        <p>
          It was there before. From now on it is kept as declared: the fields that differ are
          changed. Its old content is backed up where it can be.
        </p>
      }
      onConfirm={() => post("/setpoint/v1/adopt", { object: view.object })}
    />
  )
}

function Release({ view }: ActionsProps) {
  const reason = useSignal("")
  const declared = view.source !== undefined && !view.deleting
  const blocked = declared
    ? "Its manifest declares it: take it out of the source first."
    : undefined
  return (
    <ActionButton
      label="Release"
      danger
      tone="plain"
      title={`Release ${visible(view.kind)} ${visible(view.name)}`}
      verb="Release"
      disabledWhy={refusal("release", view.object) ?? blocked}
      explain={
        <>
          <p>
            Its target <code>{visible(view.target ?? "")}</code> is left as it is, and nothing keeps
            it from now on. It stays in the inventory as left over.
          </p>
          <Reason reason={reason} label="Reason (stands in the journal)" />
        </>
      }
      onConfirm={() => {
        const body = { object: view.object, reason: reason.value, orphan: view.deleting }
        return post("/setpoint/v1/release", body)
      }}
    />
  )
}

interface ReasonProps {
  readonly reason: { value: string }
  readonly label: string
}

function Reason({ reason, label }: ReasonProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        maxLength={500}
        value={reason.value}
        onInput={(event) => {
          reason.value = event.currentTarget.value
        }}
      />
    </label>
  )
}
