// A connection whose next request brings the very same credentials is not asked again for a moment:
// looking up a token costs more than many a read. A revoked token works for that moment at most.

import type { Clock } from "../../base/clock.ts"
import type { Principal } from "../../contract/principal.ts"
import type { Authenticate, Credentials } from "./authenticate.ts"
import type { ApiRequest } from "./exchange.ts"

const memoryMs = 200

interface Remembered {
  /** Who knew them: a browser's session says by itself who asks, whatever token comes along. */
  readonly by: Authenticate
  readonly token: string
  /** The header that brought it, as it was sent. */
  readonly header: string | undefined
  readonly principal: Principal
  readonly until: number
}

const connections = new WeakMap<object, Remembered>()

type Bringing = Pick<ApiRequest, "socket"> & Partial<Pick<ApiRequest, "headers">>

/** Known at once when the very same header came a moment ago. */
export function rememberedCaller(
  authenticate: Authenticate,
  clock: Clock,
  request: Bringing,
): Principal | undefined {
  const known = connections.get(request.socket)
  if (known?.header === undefined || known.header !== request.headers?.authorization)
    return undefined
  if (known.by !== authenticate || clock.monotonic() >= known.until) return undefined
  return known.principal
}

export async function callerOf(
  authenticate: Authenticate,
  clock: Clock,
  request: Bringing,
  credentials: Credentials,
): Promise<Principal | undefined> {
  const { token } = credentials
  if (token === undefined) return authenticate(credentials)
  const connection = request.socket
  const known = connections.get(connection)
  const now = clock.monotonic()
  const isSame = known?.token === token && known.by === authenticate
  if (isSame && now < known.until) return known.principal
  const principal = await authenticate(credentials)
  if (principal === undefined) connections.delete(connection)
  else {
    const header = request.headers?.authorization
    const until = now + memoryMs
    connections.set(connection, { by: authenticate, token, header, principal, until })
  }
  return principal
}
