// Which stop a command means: everything or one loop, all acting or deletes only.

import { loopId } from "../contract/loop.ts"
import type { StopEntry } from "../contract/stop.ts"
import type { GlobalOptions } from "./command.ts"

export interface StopOptions {
  readonly deletes?: boolean
  readonly reason?: string
}

export type StopScope = Pick<StopEntry, "loop" | "scope" | "reason">

/** A loop is named NAME, in the namespace of -n, or NAMESPACE.NAME. */
export function stopScope(
  loop: string | undefined,
  options: StopOptions,
  { namespace }: Pick<GlobalOptions, "namespace">,
): StopScope {
  const id = loop === undefined || loop.includes(".") ? loop : loopId(namespace, loop)
  const scope = options.deletes === true ? "deletes" : "all"
  const { reason } = options
  return { loop: id ?? "*", scope, ...(reason === undefined ? {} : { reason }) }
}
