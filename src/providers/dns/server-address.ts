// Where a name server listens: `ns1.example.org`, `192.0.2.1:5300`, `[2001:db8::1]:53`.

import type { SocketAddress } from "../../contract/sockets.ts"

export const addressPattern = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_.-]{1,253})(:[0-9]{1,5})?$/

/** Port 53 unless it says another. */
export function parseAddress(text: string): SocketAddress {
  const [, host = "", port] = addressPattern.exec(text) ?? []
  const plain = host.startsWith("[") ? host.slice(1, -1) : host
  return { host: plain, port: port === undefined ? 53 : Number(port.slice(1)) }
}

export function addressText({ host, port }: SocketAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`
}
