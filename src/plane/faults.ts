// Faults of what the plane itself keeps: tokens, and break-glass.

import { defineFaults } from "../base/faults.ts"

export const planeFault = defineFaults({
  "SPT-GLASS-001": {
    fault: "stuck",
    text: "cannot break the glass of loop {loop}: {principal} is {kind}, and only people may",
    hint: "ask a person: `setpoint break-glass {loop} --reason TEXT`",
    status: 403,
    reason: "Forbidden",
  },
  "SPT-GLASS-002": {
    fault: "stuck",
    text: "cannot break the glass of loop {loop}: there is no such loop",
    hint: "`setpoint status` lists the loops; name one as NAME or NAMESPACE.NAME",
    status: 404,
    reason: "NotFound",
  },
  "SPT-GLASS-003": {
    fault: "stuck",
    text: "cannot break the glass of loop {loop}: {why}",
    hint: "for example: `setpoint break-glass {loop} --for 30m --deletes 10 --reason TEXT`",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-GLASS-004": {
    fault: "stuck",
    text: "cannot break the glass of loop {loop}: {by} broke it, until {until}",
    hint: "end that one first: `setpoint break-glass --end {loop}`",
    status: 409,
    reason: "Conflict",
  },
  "SPT-GLASS-005": {
    fault: "stuck",
    text: "cannot end the break-glass of loop {loop}: there is none",
    hint: "`setpoint status` shows which loops have one",
    status: 409,
    reason: "Conflict",
  },
  "SPT-KEY-001": {
    fault: "stuck",
    text: "cannot use the key file {file}: it holds something else than keys",
    hint: "a key is 64 hexadecimal digits on a line; without the file the plane makes one itself",
  },
  "SPT-LOG-001": {
    fault: "stuck",
    text: "cannot show the log of {object}: {why}",
    hint: "`setpoint get processes` lists what writes a log",
    status: 404,
    reason: "NotFound",
  },
  "SPT-LOG-002": {
    fault: "stuck",
    text: "cannot show a log with {option} {value}: it is not a number from 0 to {max}",
    hint: "leave it out to get everything that is kept",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-VIEW-001": {
    fault: "stuck",
    text: "cannot show more with {option} {value}: no answer of this plane said so",
    hint: "begin again without it",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-IMPORT-001": {
    fault: "stuck",
    text: "cannot import {kind}: no kind of that name can tell what exists",
    hint: "these can: {kinds}; or say all",
  },
  "SPT-IMPORT-002": {
    fault: "stuck",
    text: "cannot import anything: no kind has a scope that it could look in",
    hint: "say where with --scope, for example --scope path=/etc/app; kinds: {kinds}",
  },
  "SPT-IMPORT-003": {
    fault: "stuck",
    text: "cannot use --scope {option}: none of these kinds knows it",
    hint: "they know: {known}",
  },
  "SPT-PREVIEW-001": {
    fault: "stuck",
    text: "cannot plan {ref}: the repository {place} has no commit of that name",
    hint: "name a branch, a tag or a commit that is there (fetch it first), or a server with --url",
  },
  "SPT-SERIES-001": {
    fault: "stuck",
    text: "cannot show the charts of loop {loop}: there is no such loop",
    hint: "`setpoint status` lists the loops; leave it out to get all of them",
    status: 404,
    reason: "NotFound",
  },
  "SPT-SERIES-002": {
    fault: "stuck",
    text: "cannot show charts with {what} {value}: {why}",
    hint: "leave it out to get everything that is kept",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-TLS-001": {
    fault: "stuck",
    text: "cannot use {file}: it holds no certificate with its key",
    hint: "put back a copy of it, or move it away: then a new one is made, and clients need it",
  },
  "SPT-TLS-002": {
    fault: "stuck",
    text: "cannot use the certificate {file}: {why}",
    hint: "--tls-cert names a PEM file with the certificate and its chain, --tls-key its key",
  },
  "SPT-TLS-003": {
    fault: "stuck",
    text: 'cannot make a certificate for "{name}": it is no DNS name and no IP address',
    hint: "--tls-san takes a name such as plane.example, or an address",
  },
  "SPT-TOKEN-001": {
    fault: "stuck",
    text: "cannot read the tokens: {file} can't be understood",
    hint: "put back a copy of it, or remove it and make the tokens again; until then none works",
  },
  "SPT-TOKEN-002": {
    fault: "stuck",
    text: "cannot make a token for {name}: {why}",
    hint: "`setpoint token list` shows the tokens; `setpoint token revoke NAME` takes one away",
  },
  "SPT-TOKEN-003": {
    fault: "stuck",
    text: "cannot revoke the token of {name}: there is none",
    hint: "`setpoint token list` shows the tokens",
  },
  "SPT-TOKEN-004": {
    fault: "stuck",
    text: "cannot let people in with {issuer}: {why}",
    hint: "give --oidc-issuer URL and --oidc-client-id ID; --oidc-ca-file FILE for its certificate",
  },
})
