// Stop, from anywhere: all acting or only deletes, everywhere or in one loop, with a reason. It is
// one click and one more, never behind a menu.

import { signal, useSignal } from "@preact/signals"
import { may } from "../../live/may.ts"
import { ask } from "../../live/request.ts"
import { loops, stops } from "../../live/status.ts"
import { refreshViews } from "../../live/view.ts"
import { Button, Confirm } from "../../ui/button.tsx"

interface Asked {
  readonly loop: string
}

const asked = signal<Asked | undefined>(undefined)

/** Opens the dialog, with this loop chosen. */
export function openStop(loop = "*"): void {
  asked.value = { loop }
}

export function StopButton() {
  const all = stops.value.some(({ loop, scope, object, provider }) => {
    return loop === "*" && scope === "all" && object === undefined && provider === undefined
  })
  return (
    <>
      <Button tone="danger" id="stop" onClick={() => openStop()}>
        {all ? "STOPPED" : "STOP"}
      </Button>
      {asked.value === undefined ? null : <StopDialog loop={asked.value.loop} />}
    </>
  )
}

export function StopDialog({ loop: first }: Asked) {
  const loop = useSignal(first)
  const scope = useSignal<"all" | "deletes">("all")
  const reason = useSignal("")
  const allowed = mayStop("stop", loop.value)
  const stop = async () => {
    const why = reason.value.trim()
    const body = { loop: loop.value, scope: scope.value, ...(why === "" ? {} : { reason: why }) }
    await ask("/setpoint/v1/stop", { method: "POST", body })
    await refreshViews()
  }
  return (
    <Confirm
      title="Stop"
      verb={scope.value === "all" ? "Stop all acting" : "Stop deletes"}
      danger
      disabledWhy={allowed}
      onConfirm={stop}
      onClose={() => {
        asked.value = undefined
      }}
    >
      <fieldset>
        <legend>What</legend>
        <Choice name="scope" checked={scope.value === "all"} onChoose={() => (scope.value = "all")}>
          All acting: nothing is created, changed or deleted
        </Choice>
        <Choice
          name="scope"
          checked={scope.value === "deletes"}
          onChoose={() => (scope.value = "deletes")}
        >
          Deletes only: the rest goes on
        </Choice>
      </fieldset>
      <label class="field">
        <span>Where</span>
        <select value={loop.value} onChange={(event) => (loop.value = event.currentTarget.value)}>
          <option value="*">Everywhere</option>
          {loops.value.map(({ id }) => (
            <option key={id} value={id}>
              {`Loop ${id}`}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Reason, for those who come later</span>
        <input
          type="text"
          maxLength={1000}
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
      <p class="muted">
        Written to disk before it answers; survives restarts. What is in flight is listed, and ends
        by itself. Observing goes on.
      </p>
      {allowed === undefined ? null : <p class="why">{allowed}</p>}
    </Confirm>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly checked: boolean
  readonly children: string
  onChoose(): void
}

function Choice({ name, checked, children, onChoose }: ChoiceProps) {
  return (
    <label class="choice">
      <input type="radio" name={name} checked={checked} onChange={onChoose} />
      {children}
    </label>
  )
}

/** Why they may not; undefined when they may, or nobody knows yet. */
export function mayStop(verb: "stop" | "resume", loop: string): string | undefined {
  const everywhere = may({ verb, resource: "planes", name: "local" }).value
  if (everywhere.allowed !== false) return undefined
  if (loop === "*") return `You may not ${verb} everything: ${everywhere.why}`
  const [namespace = "", ...rest] = loop.split(".")
  const one = may({ verb, resource: "loops", namespace, name: rest.join(".") }).value
  return one.allowed === false ? `You may not ${verb} ${loop}: ${one.why}` : undefined
}
