// Refusals of the ports themselves: whose host, whose page, whose link.

import { defineFaults } from "../../base/faults.ts"

export const portFault = defineFaults({
  "SPT-API-050": {
    fault: "stuck",
    text: 'cannot answer for the host "{host}": it is none of this server\'s names',
    hint: "use a name of its certificate; `--tls-san NAME` adds one",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-051": {
    fault: "stuck",
    text: 'cannot answer a page of another site ("{origin}")',
    hint: "this port is for programs; the dashboard has an address of its own",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-052": {
    fault: "stuck",
    text: "cannot sign in: this link was used, is too old, or is of another plane",
    hint: "`setpoint dashboard` prints a new one",
    status: 401,
    reason: "Unauthorized",
  },
  "SPT-API-053": {
    fault: "stuck",
    text: "cannot change anything for a page that does not send the header {header}",
    hint: "send it, with any value, or an Origin that is this site's own",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-054": {
    fault: "stuck",
    text: "cannot make a link for {user}: a session would outlast what they signed in with",
    hint: "ask with a token or a certificate of a person's own, and not as somebody else",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-API-055": {
    fault: "stuck",
    text: "cannot sign in: nobody is known by this token",
    hint: "`setpoint token create NAME` makes one; the owner's own is the file DIR/token",
    status: 401,
    reason: "Unauthorized",
  },
  "SPT-API-056": {
    fault: "retry",
    text: "cannot sign in now: more than {tries} attempts failed within a minute",
    hint: "wait a minute, or use the link that `setpoint dashboard` prints",
    status: 429,
    reason: "TooManyRequests",
  },
  "SPT-API-057": {
    fault: "stuck",
    text: "cannot sign in with {issuer}: {why}",
    hint: "try again; `setpoint dashboard` prints a link that works without it",
    status: 401,
    reason: "Unauthorized",
  },
})
