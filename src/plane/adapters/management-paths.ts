// The paths by which this host and its plane are controlled: those that the operator named, and the
// plane's own API by way of the loopback interface. No firewall rules of ours may cut them.

import { parseAddresses } from "../../providers/firewall/address.ts"
import type { ManagementFlow } from "../../providers/firewall/firewall-spec.ts"

/** "ADDRESS:PORT" or "PREFIX:PORT", IPv6 in brackets; undefined when it is neither. */
export function parseManagementPath(text: string): ManagementFlow | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+(?:\/\d+)?)\]|([0-9.]+(?:\/\d+)?)):(\d{1,5})$/.exec(text)
  const from = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (from === undefined || parseAddresses(from) === undefined) return undefined
  return port >= 1 && port <= 65_535 ? { from, port, protocol: "tcp" } : undefined
}

/** `address` is that of the API, such as https://127.0.0.1:7443; a port that is not known is 0. */
export function managementPaths(
  named: readonly ManagementFlow[],
  address: string,
): readonly ManagementFlow[] {
  const { port: text, hostname } = new URL(address)
  const port = Number(text)
  if (port === 0) return named
  const from = hostname.startsWith("[") ? "::1" : "127.0.0.1"
  return [...named, { from, port, protocol: "tcp", interface: "lo" }]
}
