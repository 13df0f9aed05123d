// When a loop may act: its windows and freezes.

import { Card } from "../../ui/card.tsx"
import type { LoopObject } from "./loop-object.ts"

export function WindowsCard({ object }: { readonly object: LoopObject | undefined }) {
  const windows = object?.spec?.windows ?? []
  return (
    <Card title="Windows">
      {windows.length === 0 ? (
        <p class="muted">None: it may always act.</p>
      ) : (
        <ul class="windows">
          {windows.map(({ kind, schedule, duration, timeZone = "UTC" }) => (
            <li key={`${kind} ${schedule} ${duration}`}>
              <strong>{kind === "Open" ? "Acts" : "May not act"}</strong> for {duration} from{" "}
              <code>{schedule}</code> <span class="muted">{timeZone}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
