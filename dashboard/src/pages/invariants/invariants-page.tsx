// What must always be true, and whether it is: since when, last looked at, what breaks it, and what
// was kept back or stopped because of it.

import { Link, pathTo } from "../../app/router.tsx"
import { useView } from "../../live/view.ts"
import { Age } from "../../ui/age.tsx"
import { Badge, type Tone } from "../../ui/badge.tsx"
import { Card, type Fact, Facts } from "../../ui/card.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { visible } from "../../ui/visible.ts"
import { planPath } from "../plans/plans-page.tsx"

interface Kept {
  readonly object: string
  readonly code: string
  readonly message: string
  readonly plan?: string
}

export interface InvariantView {
  readonly name: string
  readonly namespace: string
  readonly loop: string
  readonly expression: string
  readonly kinds: readonly string[]
  readonly onBroken: string
  readonly state: "Holding" | "Broken" | "Unknown"
  readonly since: string
  readonly message: string
  readonly evidence: readonly string[]
  readonly correction?: string
  readonly checkedAt?: string
  /** What it is meanwhile, before that has lasted. */
  readonly turning?: string
  readonly keptCount: number
  readonly kept: readonly Kept[]
  readonly prune?: { readonly objects: number; readonly why: string }
  readonly stops: readonly { readonly scope: string; readonly at: string }[]
}

const tones: Readonly<Record<InvariantView["state"], Tone>> = {
  Holding: "good",
  Broken: "bad",
  Unknown: "warn",
}

export function InvariantsPage() {
  const { view } = useView<{ invariants: readonly InvariantView[] }>("/setpoint/v1/invariants")
  const { data, fault } = view.value
  const all = data?.invariants ?? []
  const broken = all.filter(({ state }) => state !== "Holding").length
  return (
    <>
      <h1>Invariants</h1>
      {fault === undefined ? null : <ErrorBox fault={fault} />}
      {data !== undefined && all.length > 0 ? (
        <p role="status" class="muted">
          {broken === 0 ? `All ${all.length} hold.` : `${broken} of ${all.length} do not hold.`}
        </p>
      ) : null}
      {all.map((one) => (
        <Invariant key={`${one.namespace}/${one.name}`} invariant={one} />
      ))}
      {all.length > 0 ? null : (
        <Empty title={data === undefined ? "Asking ..." : "There is no invariant yet."}>
          <p>
            One says what must always be true of a loop's targets; guards refuse what breaks it.
          </p>
          <CopyCommand command="setpoint explain invariants" />
        </Empty>
      )}
    </>
  )
}

function Invariant({ invariant }: { readonly invariant: InvariantView }) {
  const { name, loop, state, message, keptCount, kept, prune, evidence } = invariant
  const key = `invariants.setpoint.dev/${invariant.namespace}/${name}`
  return (
    <Card title={visible(name)} aside={<Badge tone={tones[state]}>{state}</Badge>}>
      {state === "Holding" ? null : <p class="invariant-message">{visible(message)}</p>}
      <Facts facts={factsOf(invariant)} />
      {evidence.length === 0 ? null : (
        <>
          <h3>What breaks it</h3>
          <ul>
            {evidence.map((one) => (
              <li key={one}>
                <code>{visible(one)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {keptCount === 0 && prune === undefined ? null : <h3>Kept back because of it</h3>}
      {prune === undefined ? null : (
        <p>
          {`${prune.objects} objects that loop ${visible(loop)} no longer declares stay: `}
          {visible(prune.why)}
        </p>
      )}
      {kept.length === 0 ? null : (
        <ul>
          {kept.map((one) => (
            <li key={one.object}>
              <Link to={pathTo("/objects/*key", { key: one.object })}>{visible(one.object)}</Link>
              {": "}
              {visible(one.message)}
              {one.plan === undefined ? null : (
                <>
                  {" in "}
                  <Link to={planPath(one.plan)}>{visible(one.plan)}</Link>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {keptCount > kept.length ? <p>{`and ${keptCount - kept.length} more`}</p> : null}
      <p class="links">
        <Link to={pathTo("/objects/*key", { key })}>Object</Link>
        <Link to={`/journal?type=invariant&text=${encodeURIComponent(name)}`}>Its history</Link>
      </p>
    </Card>
  )
}

function factsOf(invariant: InvariantView): Fact[] {
  const { loop, since, checkedAt, expression, onBroken, correction, turning, stops } = invariant
  return [
    { name: "Loop", value: <Link to={pathTo("/loops/:loop", { loop })}>{visible(loop)}</Link> },
    {
      name: "Since",
      value:
        since === "" ? (
          "never judged"
        ) : (
          <>
            <Age time={since} /> ago
          </>
        ),
    },
    {
      name: "Last check",
      value:
        checkedAt === undefined ? (
          "not since the start"
        ) : (
          <>
            <Age time={checkedAt} /> ago
          </>
        ),
    },
    ...(turning === undefined
      ? []
      : [{ name: "Right now", value: `${turning}, not for long yet` }]),
    { name: "Must be true", value: <code>{visible(expression)}</code> },
    { name: "When broken", value: onBroken },
    ...(correction === undefined ? [] : [{ name: "Correction", value: visible(correction) }]),
    ...stops.map(({ scope, at }) => ({
      name: "Stopped",
      value: (
        <Link to="/stop">
          {scope === "all" ? "all acting" : "deletes"} of the loop, <Age time={at} /> ago
        </Link>
      ),
    })),
  ]
}
