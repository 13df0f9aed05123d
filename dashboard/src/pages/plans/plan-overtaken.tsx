// Says that a plan is no longer what would happen: what changed, by name, and what waits instead.

import { Link } from "../../app/router.tsx"
import { visible } from "../../ui/visible.ts"
import { isOvertaken, isWaiting, nameOf, type PlanChange, type PlanStanding } from "./plan-view.ts"
import { planPath } from "./plans-page.tsx"

const shownMax = 20

export interface PlanOvertakenProps {
  readonly plan: PlanStanding
  /** It was waiting when the page was opened. */
  readonly whileOpen: boolean
}

export function PlanOvertaken({ plan, whileOpen }: PlanOvertakenProps) {
  const { phase, waiting, changes, changeCount, name } = plan
  const moved = isWaiting(phase) && changes.some(({ state }) => state !== "new")
  if (!isOvertaken(phase) && !moved) return null
  const next = waiting === undefined || waiting === name ? undefined : waiting
  return (
    <div class="banner banner-warn plan-overtaken" role={whileOpen ? "alert" : "status"}>
      <p>
        <strong>{headline(plan, whileOpen)}</strong>{" "}
        {next === undefined ? (
          "Nothing of this loop waits now."
        ) : (
          <>
            What waits now is <Link to={planPath(next)}>plan {visible(next)}</Link>.
          </>
        )}
      </p>
      {changes.length === 0 ? null : (
        <>
          <p>{`What changed since it was made (${changeCount}):`}</p>
          <ul class="changes">
            {changes.slice(0, shownMax).map((change) => (
              <li key={`${change.state} ${change.verb} ${change.object}`}>
                <Changed change={change} />
              </li>
            ))}
          </ul>
          {changeCount > shownMax ? <p>{`and ${changeCount - shownMax} more`}</p> : null}
        </>
      )}
    </div>
  )
}

function headline({ phase, note = "" }: PlanStanding, whileOpen: boolean): string {
  const when = whileOpen ? " while you looked at it" : ""
  if (phase === "Superseded") return `This plan was replaced${when}.`
  if (phase === "Expired") return `This plan expired${when}.`
  if (phase === "Stale") return `This plan is stale${when}: ${visible(note)}.`
  return "What this plan covers has changed."
}

const words = { changed: "changed", gone: "gone", new: "new" } as const

function Changed({ change }: { readonly change: PlanChange }) {
  const { state, verb, kind, object, target, what } = change
  return (
    <>
      <strong>{words[state]}</strong>: {verb} of {visible(`${kind} ${nameOf(object)}`)}{" "}
      <code>{visible(target)}</code>: {visible(what)}
    </>
  )
}
