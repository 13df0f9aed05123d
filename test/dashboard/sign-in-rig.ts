// Tokens of people, services and agents for tests, made as `setpoint token create` makes them.

import { systemRandom } from "../../src/base/system.ts"
import type { PrincipalKind } from "../../src/contract/principal.ts"
import { localPrincipal } from "../../src/plane/adapters/local-token.ts"
import { createToken } from "../../src/plane/adapters/token-file.ts"
import type { PlaneRig } from "../e2e/plane/plane-rig.ts"

export function tokenOf({ data }: PlaneRig, name: string, kind: PrincipalKind = "human"): string {
  const wanted = { name, kind, lifeMs: 3_600_000 }
  return createToken(data, wanted, localPrincipal(), Date.now(), systemRandom).token
}
