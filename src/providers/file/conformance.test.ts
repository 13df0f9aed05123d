// Both kinds against the suite that every provider has to pass, on real files.

import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { describe, test } from "vitest"
import type { Json, JsonObject } from "../../base/json.ts"
import { systemClock } from "../../base/system.ts"
import { conformanceOf } from "../../provider/conformance/conformance.ts"
import type { ConformanceSubject } from "../../provider/conformance/subject.ts"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "./adapter/node-files.ts"
import { makeTempDir } from "./adapter/testing/temp-dir.ts"
import { fileKinds } from "./file-kinds.ts"
import {
  type BackDoor,
  faultyFiles,
  fileFaultModes,
  outsideOf,
  samplesIn,
} from "./testing/conformance-subject.ts"

function listDirectory(directory: string): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>()
  for (const name of readdirSync(directory)) {
    const path = `${directory}/${name}`
    const { mode, uid, gid, ino } = lstatSync(path)
    const isFile = lstatSync(path).isFile()
    const body = isFile ? readFileSync(path, "latin1") : readdirSync(path)
    found.set(path, { mode, uid, gid, inode: isFile ? 0 : ino, body })
  }
  return found
}

function subjectOf(
  kindName: string,
  first: JsonObject,
  second: JsonObject,
  door: Omit<BackDoor, "list" | "remove">,
): ConformanceSubject {
  const kind = fileKinds({ roots: ["/"], forbidden: [] }).find((each) => each.kind === kindName)
  if (kind === undefined) throw new Error(`no kind ${kindName}`)
  return {
    kind,
    modes: fileFaultModes,
    skip: {
      "checked-at-effect":
        "POSIX has no compare-and-swap by path: the check and the call share one turn of the " +
        "event loop, and file-crash.test.ts examines every other place",
    },
    async setup() {
      const temp = makeTempDir()
      const faulty = faultyFiles(nodeFiles())
      const list = () => listDirectory(temp.path)
      const remove = (path: string) => rmSync(path, { recursive: true })
      return {
        world: worldWith({ files: faulty.files }),
        samples: samplesIn(temp.path, first, second),
        outside: outsideOf(temp.path, { ...door, list, remove }, faulty),
        close: async () => temp.remove(),
      }
    },
  }
}

const subjects = [
  subjectOf(
    "File",
    { content: "first\n", mode: "0644" },
    { content: "second\n", mode: "0600" },
    {
      drift: (path) => appendFileSync(path, "drift"),
      make: (path) => writeFileSync(path, "foreign"),
    },
  ),
  subjectOf(
    "Directory",
    { mode: "0755" },
    { mode: "0700" },
    {
      drift: (path) => chmodSync(path, (lstatSync(path).mode & 0o777) ^ 0o011),
      make: (path) => mkdirSync(path),
    },
  ),
]

describe.each(subjects)("$kind.kind obeys", (subject) => {
  for (const { name, rule, run, skipped } of conformanceOf(subject, systemClock)) {
    if (skipped === undefined) test(`${name}: ${rule}`, run)
    else test.skip(`${name}: ${skipped}`, run)
  }
})
