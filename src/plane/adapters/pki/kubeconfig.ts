// A kubeconfig as Kubernetes' clients read it: where the plane is, what it is known by, and what
// the caller shows. It holds secrets: written readable by its owner only, never logged.

import { stringify } from "yaml"

export interface KubeconfigParts {
  /** "https://127.0.0.1:7443" */
  readonly server: string
  /** PEM of the authority that signed the server's certificate. */
  readonly authority: string
  /** The name to check, where it is not that of the address. */
  readonly serverName?: string
  readonly user: string
  readonly login:
    | { readonly certificate: string; readonly key: string }
    | { readonly token: string }
}

export const contextName = "setpoint"

export function kubeconfigText(parts: KubeconfigParts): string {
  const { server, authority, serverName, user, login } = parts
  const base64 = (text: string) => Buffer.from(text).toString("base64")
  const shown =
    "token" in login
      ? { token: login.token }
      : {
          "client-certificate-data": base64(login.certificate),
          "client-key-data": base64(login.key),
        }
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": contextName,
      clusters: [
        {
          name: contextName,
          cluster: {
            server,
            "certificate-authority-data": base64(authority),
            ...(serverName === undefined ? {} : { "tls-server-name": serverName }),
          },
        },
      ],
      contexts: [
        { name: contextName, context: { cluster: contextName, user, namespace: "default" } },
      ],
      users: [{ name: user, user: shown }],
    },
    { lineWidth: 0 },
  )
}
