// What went wrong: the sentence, its code, and what to do about it.

import type { RequestFault } from "../live/fault.ts"
import { Prose } from "./prose.tsx"

export function ErrorBox({ fault }: { readonly fault: RequestFault }) {
  return (
    <div class="error-box" role="alert">
      <p>
        <code>{fault.code}</code> <Prose text={fault.message} />
      </p>
      {fault.hint === "" ? null : (
        <p class="muted">
          <Prose text={fault.hint} />
        </p>
      )}
    </div>
  )
}
