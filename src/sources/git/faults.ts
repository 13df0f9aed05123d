// Everything that can be wrong with a git source, in one table. Codes are forever. No text ever
// holds what a server said unscrubbed, or an address with credentials.

import { defineFaults } from "../../base/faults.ts"

const stays = "the last good revision stays in force"

export const gitFault = defineFaults({
  "SPT-GIT-001": {
    fault: "stuck",
    text: "cannot use the address of the repository: {problem}",
    hint: "write https://HOST/PATH or ssh://USER@HOST/PATH, and credentials by secretRef",
  },
  "SPT-GIT-002": {
    fault: "stuck",
    text: "cannot fetch {url}: this plane does not fetch over {scheme}",
    hint: "use https or ssh; or start the plane with --git-allow {scheme}",
  },
  "SPT-GIT-003": {
    fault: "wait",
    text: "cannot run git: {cause}",
    hint: "install git 2.34 or newer where the plane runs; it is tried again",
  },
  "SPT-GIT-004": {
    fault: "wait",
    text: "cannot fetch {url}: Secret {secret} {problem}",
    hint: "https needs username and password (or token); ssh needs identity and known_hosts",
  },
  "SPT-GIT-005": {
    fault: "stuck",
    text: "cannot follow {what} of the repository: {problem}",
    hint: "correct spec.source.git of the Loop",
  },
  "SPT-GIT-010": {
    fault: "retry",
    text: "cannot reach {url}: {cause}",
    hint: `it is tried again; ${stays}`,
  },
  "SPT-GIT-011": {
    fault: "wait",
    text: "cannot fetch {url}: the server refuses the credentials",
    hint: `put good ones into the Secret that secretRef names; ${stays}`,
  },
  "SPT-GIT-012": {
    fault: "wait",
    text: "cannot find the repository {url}",
    hint: `correct the address, or let the credentials see it; ${stays}`,
  },
  "SPT-GIT-013": {
    fault: "wait",
    text: "cannot follow {ref} of {url}: the repository has none of that name",
    hint: `push it again or change spec.source.git.ref; ${stays}`,
  },
  "SPT-GIT-014": {
    fault: "wait",
    text: "cannot follow {ref} of {url}: no tag is a version within that range",
    hint: `tag a commit with such a version, as in v1.2.3; ${stays}`,
  },
  "SPT-GIT-015": {
    fault: "retry",
    text: "cannot finish fetching {url}: {cause}",
    hint: `it is tried again; ${stays}`,
  },
  "SPT-GIT-016": {
    fault: "stuck",
    text: "cannot fetch {url}: it has more than {limit} bytes",
    hint: `keep manifests in a repository of their own; ${stays}`,
  },
  "SPT-GIT-017": {
    fault: "stuck",
    text: "cannot take what {url} holds: {cause}",
    hint: `git found objects that no good program makes; ${stays}`,
  },
  "SPT-GIT-018": {
    fault: "wait",
    text: "cannot trust the server of {url}: {cause}",
    hint: "put its key into known_hosts (ssh) or its authority into ca.crt (https) of the Secret",
  },
  "SPT-GIT-019": {
    fault: "retry",
    text: "cannot fetch {url}: {cause}",
    hint: `it is tried again; ${stays}`,
  },
  "SPT-GIT-020": {
    fault: "stuck",
    text: "cannot take commit {commit} of {ref}: it does not descend from {taken}, the last taken",
    hint: "history was rewritten; look, then `setpoint source accept {loop} {commit} --reason R`",
  },
  "SPT-GIT-021": {
    fault: "stuck",
    text: "cannot go back from {before} to {name}: a newer version was taken already",
    hint: "tag a newer version; or, if meant, `setpoint source accept {loop} {commit} --reason R`",
  },
  "SPT-GIT-022": {
    fault: "stuck",
    text: "cannot take {what} {name}: it is not signed",
    hint: `sign it (git commit -S, git tag -s); ${stays}`,
  },
  "SPT-GIT-023": {
    fault: "stuck",
    text: "cannot take {what} {name}: none of the allowed signers signed it",
    hint: `let an allowed signer sign it, or add the signer to {signers}; ${stays}`,
  },
  "SPT-GIT-024": {
    fault: "stuck",
    text: "cannot take {what} {name}: its signature is not good ({cause})",
    hint: `sign it again with a key that is valid; ${stays}`,
  },
  "SPT-GIT-025": {
    fault: "stuck",
    text: "cannot take tag {name}: the tag itself says that it is {says}",
    hint: `a signed tag counts only under its own name; ${stays}`,
  },
  "SPT-GIT-026": {
    fault: "wait",
    text: "cannot tell whose signatures count: {signers} {problem}",
    hint: "it needs allowed_signers (SSH) or names that end in .asc (armored GPG public keys)",
  },
  "SPT-GIT-030": {
    fault: "stuck",
    text: "cannot read the folder {path}: commit {commit} has none",
    hint: `put it back, or leave a file such as .gitkeep if it is meant to be empty; ${stays}`,
  },
  "SPT-GIT-031": {
    fault: "stuck",
    text: "cannot read {path} of commit {commit}: it is not a folder",
    hint: "name a folder in spec.source.git.path",
  },
  "SPT-GIT-032": {
    fault: "stuck",
    text: 'cannot take commit {commit} for {wanted}: {file} says "{says}"',
    hint: `point the loop to the right branch or folder; ${stays}`,
  },
  "SPT-GIT-033": {
    fault: "stuck",
    text: "cannot take commit {commit} for {wanted}: no .setpoint/environment says what it is for",
    hint: "commit the file .setpoint/environment with the one word {wanted}",
  },
  "SPT-GIT-034": {
    fault: "stuck",
    text: "cannot accept {path}: it is a {what}, and those are not followed",
    hint: "put a regular file in its place, or start its name with a dot to leave it out",
  },
  "SPT-GIT-035": {
    fault: "stuck",
    text: "cannot accept the name {path}: {problem}",
    hint: "rename it",
  },
  "SPT-GIT-036": {
    fault: "stuck",
    text: "cannot tell {first} and {second} apart: they differ in case or form of letters only",
    hint: "rename one of the two; on some disks they are one file",
  },
  "SPT-GIT-037": {
    fault: "stuck",
    text: "cannot take {kind} {name} from this source: it governs the source itself",
    hint: "apply it as a person, or keep it in another loop",
  },
  "SPT-GIT-038": {
    fault: "retry",
    text: "cannot read the copy of {url}: {cause}",
    hint: "it is thrown away and fetched again",
  },
  "SPT-GIT-039": {
    fault: "wait",
    text: "cannot fetch {url}: the copies of all repositories would have more than {limit} bytes",
    hint: `delete loops that nobody needs, or use smaller repositories; ${stays}`,
  },
  "SPT-GIT-040": {
    fault: "stuck",
    text: "cannot accept {revision} for {loop}: {problem}",
    hint: "`setpoint status` names the commit that waits; accept exactly that one",
    status: 409,
    reason: "Conflict",
  },
  "SPT-GIT-042": {
    fault: "stuck",
    text: "cannot find a source of {loop}: there is no such loop, or its objects come by the API",
    hint: "`setpoint status` shows the loops; name one as NAMESPACE.NAME",
    status: 404,
    reason: "NotFound",
  },
  "SPT-GIT-041": {
    fault: "stuck",
    text: "cannot accept a revision for {loop}: {principal} is {kind}, and only people decide",
    hint: "ask a person to run `setpoint source accept`",
    status: 403,
    reason: "Forbidden",
  },
})
