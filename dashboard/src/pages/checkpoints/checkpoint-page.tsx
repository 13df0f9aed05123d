// One checkpoint: what it holds compared with now, and the way back to it, with what that would
// change looked up first.

import type { PageProps } from "../../app/pages.ts"
import { Link, navigate, pathTo } from "../../app/router.tsx"
import { may } from "../../live/may.ts"
import { ask } from "../../live/request.ts"
import { refreshViews, useView } from "../../live/view.ts"
import { Age } from "../../ui/age.tsx"
import { ActionButton } from "../../ui/button.tsx"
import { Card, Facts } from "../../ui/card.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { CopyText } from "../../ui/copy-text.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import {
  type CheckpointView,
  type Differences,
  differenceText,
  whoKept,
} from "./checkpoint-view.ts"
import { DifferenceList } from "./difference-list.tsx"
import { RollbackButton } from "./rollback-button.tsx"

export function CheckpointPage({ params }: PageProps) {
  const { loop = "", name = "" } = params
  const { view } = useView<{ checkpoints: readonly CheckpointView[] }>("/setpoint/v1/checkpoints")
  const one = view.value.data?.checkpoints.find((it) => it.loop === loop && it.name === name)
  const { fault, data } = view.value
  return (
    <>
      <h1>
        Checkpoint {visible(name)} of {visible(loop)}
      </h1>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {one === undefined ? (
        <Empty title={data === undefined ? "Asking ..." : "There is no such checkpoint."}>
          <Link to="/checkpoints">All checkpoints</Link>
        </Empty>
      ) : (
        <Checkpoint checkpoint={one} />
      )}
    </>
  )
}

function Checkpoint({ checkpoint }: { readonly checkpoint: CheckpointView }) {
  const { loop, name, created, count, revision, reason, root } = checkpoint
  const base = `/setpoint/v1/checkpoints/${encodeURIComponent(loop)}/${encodeURIComponent(name)}`
  const { view } = useView<Differences>(`${base}/diff?to=now`, { everyMs: 2000 })
  const { data, fault } = view.value
  const words = { added: "came since", removed: "are gone since", changed: "changed since" }
  const facts = [
    { name: "Loop", value: <Link to={pathTo("/loops/:loop", { loop })}>{visible(loop)}</Link> },
    {
      name: "Kept",
      value: (
        <>
          <Age time={created} /> ago by {visible(whoKept(checkpoint))}
        </>
      ),
    },
    { name: "Objects", value: count },
    ...(revision === undefined
      ? []
      : [{ name: "Revision", value: <code>{visible(revision)}</code> }]),
    ...(reason === undefined ? [] : [{ name: "Reason", value: visible(reason) }]),
    { name: "Root", value: <CopyText text={root} label="the root hash" /> },
  ]
  return (
    <>
      <Card title="What is pinned">
        <Facts facts={facts} />
        <div class="decide">
          <RollbackButton loop={loop} name={name} />
          {checkpoint.automatic ? null : <DeleteButton checkpoint={checkpoint} base={base} />}
        </div>
      </Card>
      <Card title="From then to now">
        {fault === undefined ? null : <ErrorBox fault={fault} />}
        {data === undefined ? null : data.differences.length === 0 ? (
          <Empty title="What the loop declares now is the same." />
        ) : (
          <>
            <p role="status">{differenceText(data.counts, words)}</p>
            <DifferenceList differences={data.differences} pages={data.pages} />
          </>
        )}
        <CopyCommand command={`setpoint checkpoint diff ${loop} ${name}`} />
      </Card>
    </>
  )
}

interface DeleteProps {
  readonly checkpoint: CheckpointView
  readonly base: string
}

function DeleteButton({ checkpoint: { loop, name }, base }: DeleteProps) {
  const [namespace = "", ...rest] = loop.split(".")
  const { allowed, why } = may({
    ...{ verb: "delete", resource: "loops", subresource: "checkpoints" },
    ...{ namespace, name: rest.join(".") },
  }).value
  return (
    <ActionButton
      label="Delete"
      title={`Delete checkpoint ${visible(name)}?`}
      verb="Delete the checkpoint"
      danger
      tone="plain"
      disabledWhy={allowed === false ? `You may not delete it: ${why}` : undefined}
      onConfirm={async () => {
        await ask(`${base}/delete`, { method: "POST", body: {} })
        await refreshViews()
        navigate("/checkpoints")
      }}
      explain={<p>Nothing outside changes; nobody can return to it then.</p>}
    />
  )
}
