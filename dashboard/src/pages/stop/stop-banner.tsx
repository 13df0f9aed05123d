// What is stopped, by whom, since when and why: over every page, with the way to lift it.

import { ask } from "../../live/request.ts"
import { session } from "../../live/session.ts"
import { type StopView, stops } from "../../live/status.ts"
import { refreshViews } from "../../live/view.ts"
import { Age } from "../../ui/age.tsx"
import { ActionButton } from "../../ui/button.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { visible } from "../../ui/visible.ts"
import { mayStop } from "./stop-dialog.tsx"

const shownMax = 3

export function StopBanner() {
  if (stops.value.length === 0) return null
  const more = stops.value.length - shownMax
  return (
    <div class="banner banner-stop" role="status">
      {stops.value.slice(0, shownMax).map((stop) => (
        <StopLine key={stopKey(stop)} stop={stop} />
      ))}
      {more > 0 ? <p>{`and ${more} more`}</p> : null}
    </div>
  )
}

export const stopKey = ({ loop, provider, object, scope }: StopView): string =>
  [loop, provider, object, scope].join(" ")

export function StopLine({ stop }: { readonly stop: StopView }) {
  return (
    <div class="stop-line">
      <strong>{`Stopped: ${stopWhat(stop)}`}</strong>
      <span>
        by {visible(stop.by)}, <Age time={stop.at} /> ago
        {stop.until === undefined ? "" : `, until ${stop.until}`}
      </span>
      {stop.reason === undefined ? null : <q>{visible(stop.reason)}</q>}
      <ResumeButton stop={stop} />
    </div>
  )
}

export function stopWhat({ scope, loop, provider, object }: StopView): string {
  const what = scope === "all" ? "all acting" : "deletes"
  if (provider !== undefined) return `${what} of provider ${provider}`
  if (object !== undefined) return `${what} of ${object}`
  return loop === "*" ? `${what}, everywhere` : `${what} in loop ${loop}`
}

function ResumeButton({ stop }: { readonly stop: StopView }) {
  const { loop, provider, object, scope } = stop
  const resume = async () => {
    const named = { ...(provider && { provider }), ...(object && { object }) }
    await ask("/setpoint/v1/resume", { method: "POST", body: { loop, scope, ...named } })
    await refreshViews()
  }
  const person = session.value.user?.kind === "human"
  const why = person ? mayStop("resume", loop) : "Only people lift a stop."
  return (
    <ActionButton
      label="Resume"
      title={`Resume ${stopWhat(stop)}?`}
      verb="Resume"
      disabledWhy={why}
      onConfirm={resume}
      explain={
        <>
          <p>Acting begins again at once with what is declared now. In a terminal:</p>
          <CopyCommand command={`setpoint ${stop.resume}`} />
        </>
      }
    />
  )
}
