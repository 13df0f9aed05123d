// States to return to: those that the engine keeps and those that somebody named; and the loops
// that are rolled back now, with the source revision that is set aside.

import { useSignal } from "@preact/signals"
import { Link, navigate, pathTo, place, setQuery } from "../../app/router.tsx"
import { may } from "../../live/may.ts"
import { ask } from "../../live/request.ts"
import { session } from "../../live/session.ts"
import { loops } from "../../live/status.ts"
import { refreshViews, useView } from "../../live/view.ts"
import { Age } from "../../ui/age.tsx"
import { ActionButton, Button, Confirm } from "../../ui/button.tsx"
import { Card } from "../../ui/card.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"
import { type CheckpointView, nameRule, type RollbackView, whoKept } from "./checkpoint-view.ts"

export const checkpointPath = ({ loop, name }: Pick<CheckpointView, "loop" | "name">): string =>
  pathTo("/checkpoints/:loop/:name", { loop, name })

const columns: readonly Column<CheckpointView>[] = [
  {
    id: "name",
    title: "Checkpoint",
    cell: (one) => <Link to={checkpointPath(one)}>{visible(one.name)}</Link>,
    sort: ({ name }) => name,
  },
  { id: "loop", title: "Loop", cell: ({ loop }) => visible(loop), sort: ({ loop }) => loop },
  {
    id: "objects",
    title: "Objects",
    cell: ({ count }) => count,
    sort: ({ count }) => count,
    align: "right",
    width: "6rem",
  },
  {
    id: "revision",
    title: "Revision",
    cell: ({ revision = "" }) => <code title={revision}>{visible(revision.slice(0, 12))}</code>,
    width: "9rem",
  },
  {
    id: "age",
    title: "Age",
    cell: ({ created }) => <Age time={created} />,
    sort: ({ created }) => created,
    width: "6rem",
  },
  { id: "by", title: "Kept by", cell: (one) => visible(whoKept(one)), width: "9rem" },
  {
    id: "reason",
    title: "Reason",
    cell: ({ reason = "" }) => <span title={visible(reason)}>{visible(reason)}</span>,
    width: "22%",
  },
]

export function CheckpointsPage() {
  const { view } = useView<{ checkpoints: readonly CheckpointView[] }>("/setpoint/v1/checkpoints")
  const { data, fault } = view.value
  const creating = useSignal(false)
  const chosen = place.value.query.get("loop") ?? ""
  const all = data?.checkpoints ?? []
  const rows = chosen === "" ? all : all.filter(({ loop }) => loop === chosen)
  return (
    <>
      <div class="page-head">
        <h1>Checkpoints</h1>
        <label>
          <span>Loop </span>
          <select value={chosen} onChange={(event) => setQuery("loop", event.currentTarget.value)}>
            <option value="">all</option>
            {loops.value.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
      </div>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      <Rollbacks />
      <Card
        title="States to return to"
        aside={
          <Button
            onClick={() => {
              creating.value = true
            }}
          >
            Create a checkpoint
          </Button>
        }
      >
        <Table
          label="Checkpoints"
          columns={columns}
          rows={rows}
          keyOf={({ loop, name }) => `${loop} ${name}`}
          onOpen={(one) => navigate(checkpointPath(one))}
          empty={
            <Empty title={data === undefined ? "Asking ..." : "There is no checkpoint yet."}>
              The first is kept by itself when a loop has converged.
            </Empty>
          }
        />
      </Card>
      {creating.value ? (
        <CreateDialog
          loop={chosen}
          onClose={() => {
            creating.value = false
          }}
        />
      ) : null}
    </>
  )
}

/** Loops that are rolled back now. */
function Rollbacks() {
  const rolled = loops.value.flatMap(({ id, rollback }) =>
    rollback === undefined || rollback === null ? [] : [{ id, rollback: rollback as RollbackView }],
  )
  if (rolled.length === 0) return null
  return (
    <Card title="Rolled back now" aside={<span class="count">{rolled.length}</span>}>
      {rolled.map(({ id, rollback }) => (
        <RolledBack key={id} loop={id} rollback={rollback} />
      ))}
    </Card>
  )
}

export function RolledBack({
  loop,
  rollback,
}: {
  readonly loop: string
  readonly rollback: RollbackView
}) {
  const { checkpoint, quarantined, by, at, reason, notRestored = [] } = rollback
  const to = checkpointPath({ loop, name: checkpoint })
  return (
    <div class="rolled-back">
      <p>
        <Link to={pathTo("/loops/:loop", { loop })}>{visible(loop)}</Link> is at{" "}
        <Link to={to}>{visible(checkpoint)}</Link> since <Age time={at} /> (by {visible(by)}
        {reason === undefined ? "" : `: ${visible(reason)}`}). Revision{" "}
        <code title={quarantined}>{visible(quarantined.slice(0, 12))}</code> of its source is set
        aside until the source shows another one.
      </p>
      {notRestored.length === 0 ? null : (
        <p class="why">{`Not restored: ${visible(notRestored.join(", "))}`}</p>
      )}
      <ActionButton
        label="End the rollback"
        title={`Use the source of ${visible(loop)} again?`}
        verb="Use the source again"
        disabledWhy={mayRollBack(loop)}
        onConfirm={async () => {
          await ask("/setpoint/v1/rollback/end", { method: "POST", body: { loop } })
          await refreshViews()
        }}
        explain={
          <p>
            What the source shows now comes into force again at once, also revision{" "}
            <code>{visible(quarantined.slice(0, 12))}</code>. Limits and guards judge it as always.
          </p>
        }
      />
    </div>
  )
}

/** Why they may not; undefined when they may, or nobody knows yet. */
export function mayRollBack(loop: string): string | undefined {
  if (session.value.user?.kind !== "human") return "Only people roll back."
  const [namespace = "", ...rest] = loop.split(".")
  const { allowed, why } = may({
    ...{ verb: "rollback", resource: "loops", namespace, name: rest.join(".") },
  }).value
  return allowed === false ? `You may not roll back ${loop}: ${why}` : undefined
}

function CreateDialog({ loop: first, onClose }: { readonly loop: string; onClose(): void }) {
  const loop = useSignal(first === "" ? (loops.peek()[0]?.id ?? "") : first)
  const name = useSignal("")
  const reason = useSignal("")
  const typed = name.value.trim()
  const wrong = typed !== "" && !nameRule.test(typed)
  const hint = "Small letters, digits, dots and dashes."
  const why = typed === "" ? "Give it a name first." : wrong ? hint : undefined
  return (
    <Confirm
      title="Create a checkpoint"
      verb="Create"
      disabledWhy={why}
      onClose={onClose}
      onConfirm={async () => {
        const body = { loop: loop.value, name: typed, reason: reason.value.trim() }
        await ask("/setpoint/v1/checkpoints", { method: "POST", body })
        await refreshViews()
      }}
    >
      <p>Pins everything that the loop declares now, to return to it later.</p>
      <label class="field">
        <span>Loop</span>
        <select value={loop.value} onChange={(event) => (loop.value = event.currentTarget.value)}>
          {loops.value.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Name</span>
        <input
          type="text"
          maxLength={63}
          autoComplete="off"
          aria-invalid={wrong}
          aria-describedby="checkpoint-rule"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <small class={wrong ? "why" : "muted"} id="checkpoint-rule">
          {hint}
        </small>
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
    </Confirm>
  )
}
