// Approve and Reject, for the hash that is shown. The question before repeats what would be done;
// the safe answer has the focus; what the plane refuses is shown with the names of what changed.
// Whoever may not decide reads why.

import { type Signal, useSignal } from "@preact/signals"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import { refreshViews } from "../../live/view.ts"
import { ActionButton } from "../../ui/button.tsx"
import { Card } from "../../ui/card.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import type { Chosen } from "./plan-actions.tsx"
import {
  countText,
  countVerbs,
  destroys,
  isWaiting,
  letGo,
  type MayDecide,
  mayInPart,
  namespaceOf,
  needsText,
  type PlanStanding,
} from "./plan-view.ts"

export interface PlanDecisionProps {
  readonly plan: PlanStanding
  readonly chosen: Signal<Chosen>
  refresh(): Promise<void>
}

export function PlanDecision(props: PlanDecisionProps) {
  const { plan, refresh } = props
  const refused = useSignal<RequestFault | undefined>(undefined)
  const decide = async (decision: Decision, actions?: readonly string[]) => {
    refused.value = undefined
    try {
      await sendDecision(plan, decision, actions)
    } catch (error) {
      refused.value = toRequestFault(error)
      void refresh()
      throw error
    }
  }
  const over = plan.phase === "Executing" || plan.phase === "Done"
  return (
    <>
      {refused.value === undefined ? null : <Refused fault={refused.value} />}
      {over ? <Progress plan={plan} /> : <Decide {...props} decide={decide} />}
    </>
  )
}

type Decision = "approve" | "reject"

/** It stays when the question is gone: somebody else may have been faster. */
function Refused({ fault }: { readonly fault: RequestFault }) {
  return (
    <>
      <p>
        <strong>The plane refused your decision:</strong>
      </p>
      <ErrorBox fault={fault} />
    </>
  )
}

interface DecideProps extends Omit<PlanDecisionProps, "refresh"> {
  decide(decision: Decision, actions?: readonly string[]): Promise<void>
}

function Decide({ plan, chosen, decide }: DecideProps) {
  const { phase, approve, reject } = plan
  const changed = whyChanged(plan)
  const why = changed ?? whyNot(approve)
  const part = [...chosen.value.values()]
  return (
    <Card title="Decide">
      <div class="decide">
        <ApproveButton plan={plan} why={why} onConfirm={() => decide("approve")} />
        {part.length > 0 && mayInPart(approve) && part.length < plan.actionCount ? (
          <ApproveButton
            plan={plan}
            why={changed}
            part={countVerbs(part)}
            onConfirm={async () => {
              await decide(
                "approve",
                part.map(({ digest }) => digest),
              )
              chosen.value = new Map()
            }}
          />
        ) : null}
        <ActionButton
          label="Reject"
          title={`Reject ${plan.summary}?`}
          verb={`Reject ${plan.summary}`}
          disabledWhy={isWaiting(phase) ? whyNot(reject) : `The plan is ${phase}.`}
          onConfirm={() => decide("reject")}
          explain={
            <>
              <p>
                {`None of it is done: ${countText(plan.verbs)} in loop ${visible(plan.loop)}.`} It
                is not asked again until the declaration changes.
              </p>
              <ShownHash hash={plan.hash} />
            </>
          }
        />
      </div>
      {why === undefined ? null : (
        <p class="why" id="why-not">
          {visible(why)}
        </p>
      )}
    </Card>
  )
}

interface ApproveProps {
  readonly plan: PlanStanding
  readonly why: string | undefined
  /** Counts by verb of the chosen actions; all of them when missing. */
  readonly part?: Readonly<Record<string, number>>
  onConfirm(): Promise<void>
}

function ApproveButton({ plan, why, part, onConfirm }: ApproveProps) {
  const verbs = part ?? plan.verbs
  const what = countText(verbs)
  const label = part === undefined ? "Approve" : `Approve the chosen: ${what}`
  const others = plan.required > 1 ? `It needs ${needsText(plan)}.` : ""
  return (
    <ActionButton
      label={label}
      title={`Approve ${what}?`}
      verb={`Approve ${what}`}
      tone="main"
      danger={destroys(verbs)}
      disabledWhy={why}
      onConfirm={onConfirm}
      explain={
        <>
          <p>
            {`Exactly this is let go in loop ${visible(plan.loop)}: `}
            <strong>{what}</strong>
            {part === undefined ? "." : ` of the plan's ${countText(plan.verbs)}.`} {others}
          </p>
          {destroys(verbs) ? (
            <p>What is deleted is gone; Setpoint can't bring its data back.</p>
          ) : null}
          <p>
            Before anything is done each target is looked at again. If one of them changed, the
            plane refuses and names it.
          </p>
          <ShownHash hash={plan.hash} />
          <p class="muted">In a terminal:</p>
          <CopyCommand command={`setpoint approve ${plan.name} --hash ${plan.hash}`} />
        </>
      }
    />
  )
}

function ShownHash({ hash }: { readonly hash: string }) {
  return (
    <p class="muted">
      Bound to the hash shown: <code class="hash">{hash}</code>
    </p>
  )
}

/** The request carries the hash that was on the screen; the plane compares. */
async function sendDecision(
  { name, loop, hash }: PlanStanding,
  decision: Decision,
  actions: readonly string[] | undefined,
): Promise<void> {
  const namespace = encodeURIComponent(namespaceOf(loop))
  const base = `/apis/setpoint.dev/v1alpha1/namespaces/${namespace}/plans`
  await ask(`${base}/${encodeURIComponent(name)}/approval`, {
    method: "POST",
    body: { hash, decision, ...(actions === undefined ? {} : { actions }) },
    timeoutMs: 120_000,
  })
  await refreshViews()
}

const whyNot = ({ may, message, hint }: MayDecide): string | undefined =>
  may ? undefined : `${message ?? "You may not."}${hint === undefined ? "" : ` (${hint})`}`

function whyChanged({ phase, changes, waiting, name }: PlanStanding): string | undefined {
  if (phase === "Superseded") {
    const next = waiting === undefined || waiting === name ? "" : `; look at plan ${waiting}`
    return `This plan was replaced${next}.`
  }
  if (!isWaiting(phase)) return undefined
  const gone = changes.filter(({ state }) => state !== "new").length
  return gone === 0 ? undefined : `${gone} of what it covers changed; a new plan is on its way.`
}

function Progress({ plan }: { readonly plan: PlanStanding }) {
  const { phase, done, receipts, actionCount } = plan
  const all = letGo(plan)
  const failed = receipts.filter(({ result }) => result !== "done").length
  return (
    <Card title={phase === "Done" ? "Done" : "Going on"}>
      <label class="plan-progress">
        <span role="status">
          {`${done} of ${all} done`}
          {all < actionCount ? ` (${all} of the plan's ${actionCount} were approved)` : ""}
          {failed === 0 ? "" : `, ${failed} tries failed (they are tried again)`}
        </span>
        <progress max={all} value={done} />
      </label>
    </Card>
  )
}
