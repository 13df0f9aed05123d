// Every way the store can say no. A caller sees one of these or the answer, never something half.

import { defineFaults } from "../base/faults.ts"

export const storeFault = defineFaults({
  "SPT-STORE-001": {
    fault: "stuck",
    text: "cannot use the key {key}: {cause}",
    hint: "keys are 1 to 1024 printable ASCII characters, and each commit names a key once",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-STORE-002": {
    fault: "stuck",
    text: "cannot store {key}: its value has {bytes} bytes and the limit is {limit}",
    hint: "split the object, or keep large content outside and store a reference to it",
    status: 413,
    reason: "RequestEntityTooLarge",
  },
  "SPT-STORE-003": {
    fault: "stuck",
    text: "cannot commit: {cause}",
    hint: "send fewer or smaller writes in one commit, each key once",
    status: 413,
    reason: "RequestEntityTooLarge",
  },
  "SPT-STORE-004": {
    fault: "retry",
    text: "cannot commit: {waiting} commits wait already",
    hint: "the store is overloaded; try again later, or with fewer writers",
    status: 429,
    reason: "TooManyRequests",
  },
  "SPT-STORE-005": {
    fault: "stuck",
    text: "cannot attach {key} to the lease {lease}: {cause}",
    hint: "grant a new lease and put the key again",
    status: 409,
    reason: "Conflict",
  },
  "SPT-STORE-006": {
    fault: "retry",
    text: "cannot commit: no space is left for the store ({cause})",
    hint: "nothing was changed; reads go on, and writes work again as soon as there is space",
    status: 507,
    reason: "InsufficientStorage",
  },
  "SPT-STORE-007": {
    fault: "bug",
    text: "cannot use the store any more: {cause}",
    hint: "the store stopped so that nothing unsure is acknowledged; check the disk, start again",
  },
  "SPT-STORE-008": {
    fault: "retry",
    text: "cannot use the store: it is closed",
    hint: "the plane is stopping; ask again when it runs",
    status: 503,
    reason: "ServiceUnavailable",
  },
  "SPT-STORE-009": {
    fault: "stuck",
    text: "cannot read at revision {revision}: the newest is {newest}",
    hint: "read at a revision that a commit, a range or a watch has named",
    status: 400,
    reason: "BadRequest",
  },
  "SPT-STORE-010": {
    fault: "stuck",
    text: "cannot {what}: the store was opened for reading only",
    hint: "send the change to the running plane, or start one on this directory",
    status: 405,
    reason: "MethodNotAllowed",
  },
  "SPT-STORE-011": {
    fault: "stuck",
    text: "cannot trust the store: {cause}",
    hint: "do not start on it; restore the newest backup into an empty directory",
  },
  "SPT-STORE-020": {
    fault: "stuck",
    text: "cannot open {directory}: another plane (process {pid}) is using it",
    hint: "stop that process, or choose another directory with --data",
  },
  "SPT-STORE-021": {
    fault: "stuck",
    text: "cannot open {directory}: it is not empty and not a data directory ({found})",
    hint: "choose an empty directory with --data, or move these files away",
  },
  "SPT-STORE-022": {
    fault: "stuck",
    text: "cannot open {directory}: it has lost its content ({cause})",
    hint: "it never starts empty; restore a backup: setpoint restore FILE --data NEW-DIRECTORY",
  },
  "SPT-STORE-023": {
    fault: "stuck",
    text: "cannot open {directory}: its store belongs to plane {found}, not to {expected}",
    hint: "put back the store.db that belongs to identity.json, or restore a backup",
  },
  "SPT-STORE-024": {
    fault: "stuck",
    text: "cannot open {directory}: it has format {found}, and this version knows up to {known}",
    hint: "start the newer version of Setpoint that wrote it",
  },
  "SPT-STORE-025": {
    fault: "stuck",
    text: "cannot open {directory}: {cause}",
    hint: "check the path, its owner and permissions, and the disk",
  },
  "SPT-STORE-026": {
    fault: "stuck",
    text: "cannot read {directory}: there is no data directory",
    hint: "name the directory of a plane with --data",
  },
  "SPT-STORE-030": {
    fault: "stuck",
    text: "cannot back up to {file}: {cause}",
    hint: "name a new file on a disk with enough space",
  },
  "SPT-STORE-031": {
    fault: "stuck",
    text: "cannot restore {file}: {cause}",
    hint: "use a file that `setpoint backup` made; nothing was restored",
  },
  "SPT-STORE-032": {
    fault: "stuck",
    text: "cannot restore into {directory}: it is not empty",
    hint: "name a new or empty directory; a restore never overwrites",
  },
  "SPT-STORE-033": {
    fault: "stuck",
    text: "cannot trust the backup {file}: {cause}",
    hint: "keep the older backups, and make a new one with `setpoint backup FILE`",
  },
})
