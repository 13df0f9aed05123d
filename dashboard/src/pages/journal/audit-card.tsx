// Verifies every journal byte by byte and says from where: whatever was dropped for its age is
// covered by the anchor that closed it.

import { useSignal } from "@preact/signals"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { may } from "../../live/may.ts"
import { ask } from "../../live/request.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Card } from "../../ui/card.tsx"
import { CopyCommand } from "../../ui/copy-command.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { visible } from "../../ui/visible.ts"

interface Check {
  readonly loop: string
  readonly from: number
  readonly to: number
  readonly entries: number
  readonly anchors: number
  readonly hash: string
  readonly bad?: { readonly record: string; readonly sequence: number; readonly what: string }
}

const columns: readonly Column<Check>[] = [
  { id: "loop", title: "Journal", cell: ({ loop }) => visible(loop), sort: ({ loop }) => loop },
  {
    id: "state",
    title: "State",
    cell: ({ bad }) => (
      <Badge tone={bad === undefined ? "good" : "bad"}>{bad === undefined ? "sound" : "BAD"}</Badge>
    ),
    width: "7rem",
  },
  { id: "from", title: "Verified", cell: rangeText, width: "12rem" },
  { id: "anchors", title: "Anchors", cell: ({ anchors }) => anchors, width: "6rem" },
  {
    id: "note",
    title: "Note",
    cell: ({ bad, from }) => {
      if (bad !== undefined) return visible(`${bad.record} ${bad.sequence} ${bad.what}`)
      return from > 1 ? `the ${from - 1} before it were dropped for their age` : ""
    },
    width: "35%",
  },
]

export function rangeText({ from, to, entries }: Check): string {
  return entries === 0 ? "nothing yet" : `records ${from} to ${to}`
}

export function AuditCard() {
  const checks = useSignal<readonly Check[] | undefined>(undefined)
  const busy = useSignal(false)
  const fault = useSignal<RequestFault | undefined>(undefined)
  const { allowed, why } = may({
    ...{ verb: "get", resource: "planes", subresource: "audit", name: "local" },
  }).value
  const verify = async () => {
    busy.value = true
    fault.value = undefined
    try {
      const path = "/setpoint/v1/audit/verify"
      const answer = await ask<{ checks: Check[] }>(path, {
        ...{ method: "POST", body: {}, timeoutMs: 300_000 },
      })
      checks.value = answer.checks
    } catch (error) {
      fault.value = toRequestFault(error)
    } finally {
      busy.value = false
    }
  }
  const bad = checks.value?.filter((check) => check.bad !== undefined).length ?? 0
  return (
    <Card
      title="Is the journal what was written?"
      aside={
        <Button
          busy={busy.value}
          disabledWhy={allowed === false ? `You may not verify: ${why}` : undefined}
          onClick={() => void verify()}
        >
          {busy.value ? "Verifying ..." : "Verify"}
        </Button>
      }
    >
      {fault.value === undefined ? null : <ErrorBox fault={fault.value} />}
      {checks.value === undefined ? (
        <div class="muted">
          <p>Each record carries the hash of the one before it. The same in a terminal:</p>
          <CopyCommand command="setpoint audit verify" />
        </div>
      ) : (
        <>
          <p role="status">
            {bad === 0
              ? `All ${checks.value.length} journals are sound.`
              : `${bad} of ${checks.value.length} journals are NOT what was written.`}
          </p>
          <Table
            label="Journals and what was verified of them"
            columns={columns}
            rows={checks.value}
            keyOf={({ loop }) => loop}
          />
        </>
      )}
    </Card>
  )
}
