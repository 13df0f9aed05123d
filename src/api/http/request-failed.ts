// A failure that is no answer: a mistake of ours beside the part that answers mistakes. It ends one
// exchange, never the plane with all the others.

import type { ApiResponse } from "./exchange.ts"

export function requestFailed(
  error: unknown,
  response: Pick<ApiResponse, "destroy"> | undefined,
): void {
  process.emitWarning(`a request failed: ${error instanceof Error ? error.stack : error}`)
  response?.destroy()
}
