// The control of the trace rig: a writer with synchronous=OFF that says the same lines. The rig
// must find every one of its acknowledgements unsynced.

import { writeSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const db = new DatabaseSync(join(process.argv[2] ?? "", "store.db"))
db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE rows (value TEXT)")
const insert = db.prepare("INSERT INTO rows VALUES (?)")
for (let count = 1; count <= 20; count++) {
  insert.run(`${count} marker-w/alone-${count}- `)
  writeSync(1, `ack ${count} w/alone ${count}\n`)
}
