// The certificate of a client that holds the key of one that our authority signed.

import type { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import type { ClientCertificate } from "../authenticate.ts"

export function peerCertificate(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { subject, valid_to: end } = socket.getPeerCertificate()
  const [commonName, organizations] = [textsOf(subject?.CN), textsOf(subject?.O)]
  if (commonName.length !== 1 || commonName[0] === "") return undefined
  return { commonName: commonName[0] ?? "", organizations, until: Date.parse(end) }
}

/** Node joins several of a name into a list, whatever its types say. */
function textsOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}
