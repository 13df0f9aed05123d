// What the target writes, followed like a terminal would: the end first, then what comes. Bounded:
// what is older than the last lines goes.

import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { type RequestFault, toRequestFault } from "../../live/fault.ts"
import { ask } from "../../live/request.ts"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { addLog, emptyLog, type LogPage, logLines, logsMax } from "./log-text.ts"

const everyMs = 700
const tail = 500

export function LogTab({ object }: { readonly object: string }) {
  const previous = useSignal(false)
  const follows = useSignal(true)
  const log = useSignal(emptyLog)
  const fault = useSignal<RequestFault | undefined>(undefined)
  const asked = useSignal(false)
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const ends = new AbortController()
    log.value = emptyLog
    asked.value = false
    void read(object, previous.value, ends.signal, {
      page: (page) => {
        asked.value = true
        fault.value = undefined
        log.value = addLog(log.peek(), page)
      },
      failed: (error) => {
        fault.value = toRequestFault(error)
      },
    })
    return () => ends.abort()
  }, [object, previous.value])
  const lines = logLines(log.value)
  useEffect(() => {
    if (follows.value && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [log.value, follows.value])
  return (
    <>
      <div class="tab-head">
        <p class="muted" role="status">
          {log.value.dropped > 0 ? `the last ${logsMax} lines` : `${lines.length} lines`}
        </p>
        <Check checked={follows} label="Follow" />
        <Check checked={previous} label="The run before this one" />
      </div>
      {fault.value === undefined ? null : <ErrorBox fault={fault.value} />}
      {asked.value && lines.length === 0 ? (
        <Empty title="It has written nothing." />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        <pre class="log" ref={box} tabIndex={0} role="log" aria-label="Log" aria-live="off">
          {lines.join("\n")}
        </pre>
      )}
    </>
  )
}

function Check({
  checked,
  label,
}: {
  readonly checked: { value: boolean }
  readonly label: string
}) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={checked.value}
        onChange={(event) => {
          checked.value = event.currentTarget.checked
        }}
      />
      {label}
    </label>
  )
}

interface Reader {
  page(page: LogPage): void
  failed(error: unknown): void
}

async function read(object: string, previous: boolean, ends: AbortSignal, to: Reader) {
  const base = { object, ...(previous ? { previous: "true" } : {}) }
  let after: string | undefined
  while (!ends.aborted) {
    const from: Record<string, string> = after === undefined ? { tail: String(tail) } : { after }
    let more = false
    try {
      const query = new URLSearchParams({ ...base, ...from })
      const page = await ask<LogPage>(`/setpoint/v1/log?${query}`, { signal: ends })
      after = page.next
      more = page.more
      to.page(page)
      // The run before has ended: nothing comes any more.
      if (previous && !more) return
    } catch (error) {
      if (ends.aborted) return
      to.failed(error)
    }
    if (!more) await pause(ends)
  }
}

/** A hidden page rests. */
function pause(ends: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (document.hidden && !ends.aborted) return
      clearInterval(timer)
      resolve()
    }, everyMs)
    ends.addEventListener("abort", () => {
      clearInterval(timer)
      resolve()
    })
  })
}
