// Rolling a loop back: what would change is asked of the plane first and shown with what does not
// come back; only then can it be confirmed.

import { useSignal } from "@preact/signals"
import { navigate } from "../../app/router.tsx"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import { refreshViews } from "../../live/view.ts"
import { Button, Confirm } from "../../ui/button.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import { planPath } from "../plans/plans-page.tsx"
import { differenceText, type RollbackAnswer } from "./checkpoint-view.ts"
import { mayRollBack } from "./checkpoints-page.tsx"
import { DifferenceList } from "./difference-list.tsx"

const words = { added: "made again", removed: "deleted", changed: "changed" }

export interface RollbackButtonProps {
  readonly loop: string
  readonly name: string
}

export function RollbackButton({ loop, name }: RollbackButtonProps) {
  const preview = useSignal<RollbackAnswer | undefined>(undefined)
  const fault = useSignal<RequestFault | undefined>(undefined)
  const busy = useSignal(false)
  const look = async () => {
    busy.value = true
    fault.value = undefined
    try {
      preview.value = await askRollback({ loop, to: name, dryRun: true })
    } catch (error) {
      fault.value = toRequestFault(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <>
      <Button
        tone="main"
        busy={busy.value}
        disabledWhy={mayRollBack(loop)}
        onClick={() => void look()}
      >
        {busy.value ? "Looking ..." : "Roll back to this ..."}
      </Button>
      {fault.value === undefined ? null : <ErrorBox fault={fault.value} />}
      {preview.value === undefined ? null : (
        <RollbackDialog
          {...{ loop, name, preview: preview.value }}
          onClose={() => {
            preview.value = undefined
          }}
        />
      )}
    </>
  )
}

interface DialogProps extends RollbackButtonProps {
  readonly preview: RollbackAnswer
  onClose(): void
}

function RollbackDialog({ loop, name, preview, onClose }: DialogProps) {
  const reason = useSignal("")
  const what = differenceText(preview.counts, words)
  return (
    <Confirm
      title={`Roll ${visible(loop)} back to ${visible(name)}?`}
      verb={`Roll back: ${what}`}
      danger={preview.counts.removed > 0}
      onClose={onClose}
      onConfirm={async () => {
        const why = reason.value.trim()
        const answer = await askRollback({ loop, to: name, dryRun: false, reason: why })
        await refreshViews()
        navigate(answer.plan === undefined ? "/checkpoints" : planPath(answer.plan))
      }}
    >
      <p>
        Objects of the loop: <strong>{what}</strong>. Limits and guards judge it as always; what is
        over them waits in a plan.
      </p>
      {preview.quarantined === undefined ? null : (
        <p>
          Revision <code>{visible(preview.quarantined.slice(0, 12))}</code> of the source is set
          aside until the source shows another one.
        </p>
      )}
      {preview.notes.map((note) => (
        <p class="why" key={note}>
          {visible(note)}
        </p>
      ))}
      <DifferenceList differences={preview.differences} pages={preview.pages} height="30vh" />
      <label class="field">
        <span>Reason, for those who come later</span>
        <input
          type="text"
          maxLength={1000}
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
      <CopyCommand command={`setpoint rollback ${loop} --to ${name}`} />
    </Confirm>
  )
}

interface Asked {
  readonly loop: string
  readonly to: string
  readonly dryRun: boolean
  readonly reason?: string
}

const askRollback = (body: Asked): Promise<RollbackAnswer> =>
  ask<RollbackAnswer>("/setpoint/v1/rollback", { method: "POST", body, timeoutMs: 120_000 })
