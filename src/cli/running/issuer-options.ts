// Which other issuer lets people in, from the options of the command line.

import type { IssuerOptions } from "../../plane/adapters/local-access.ts"
import type { RunPlaneOptions } from "../run-plane.ts"

export function issuerOf(options: RunPlaneOptions): { readonly issuer?: IssuerOptions } {
  const { oidcIssuer: issuer, oidcClientId: clientId = "" } = options
  if (issuer === undefined) return {}
  const rest = {
    usernameClaim: options.oidcUsernameClaim,
    usernamePrefix: options.oidcUsernamePrefix,
    groupsClaim: options.oidcGroupsClaim,
    groupsPrefix: options.oidcGroupsPrefix,
    authorityFile: options.oidcCaFile,
    clientSecretFile: options.oidcClientSecretFile,
  }
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  return { issuer: { issuer, clientId, ...(Object.fromEntries(given) as Partial<IssuerOptions>) } }
}
