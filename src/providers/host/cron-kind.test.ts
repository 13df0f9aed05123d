import { readdirSync, writeFileSync } from "node:fs"
import { afterAll, expect, it } from "vitest"
import { worldWith } from "../../provider/missing-handles.ts"
import { nodeFiles } from "../file/adapter/node-files.ts"
import { cronKind } from "./cron-kind.ts"
import { labelOf } from "./own-file.ts"
import { PrivateRoot } from "./testing/private-root.ts"

const root = new PrivateRoot()
afterAll(() => root.remove())

it("takes away what a crash left beside the file, and nothing of others", async () => {
  const [uid, another] = ["0-0-0-0-1", "0-0-0-0-2"]
  const folder = `${root.path}/etc/cron.d`
  const theirs = ["backup", `.setpoint-${labelOf(another)}-x1`, ".placeholder"]
  for (const name of [...theirs, `.setpoint-${labelOf(uid)}-x1`]) {
    writeFileSync(`${folder}/${name}`, "1 2 * * * root true\n")
  }
  await cronKind(root.path).cleanUp?.("backup", uid, worldWith({ files: nodeFiles() }))
  expect(readdirSync(folder).sort()).toEqual(theirs.sort())
})
