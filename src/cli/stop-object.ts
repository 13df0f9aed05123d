// The key of the object that a stop names. KIND/NAME needs the plane to say which kind that is; the
// whole key, KINDS.GROUP/NAMESPACE/NAME, needs nobody, so that it works while the plane hangs.

import { toFault } from "../base/faults.ts"
import type { GlobalOptions } from "./command.ts"
import { cliFault } from "./faults.ts"
import { type ClientTarget, clientFor } from "./lazy-client.ts"

const answerMs = 3000

export async function stopObject(
  typed: string,
  { namespace, ...target }: ClientTarget & Pick<GlobalOptions, "namespace">,
): Promise<string> {
  if (typed.split("/").length === 3) return typed
  const { findObject, keyOf, servedKinds } = await import("./resolve-kinds.ts")
  let client: ReturnType<typeof clientFor> | undefined
  try {
    client = clientFor(target, { timeoutMs: answerMs })
    return keyOf(findObject(await servedKinds(client), typed.split("/")), namespace)
  } catch (error) {
    const fault = toFault(error)
    if (fault.code === "SPT-CLI-002") throw fault
    const why = `no plane says which kind that is (${fault.message})`
    const hint = "write its whole key, such as files.host.setpoint.dev/default/motd"
    throw cliFault("SPT-CLI-002", { what: typed, why, hint }, error)
  } finally {
    client?.close()
  }
}
