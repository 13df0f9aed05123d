// u: the folder of manifests can't be read any more, as with a lost mount or a wrong umask. For the
// naive loop that is an empty list; for Setpoint it is no answer, and the last good state stays.

import { type DemoAction, effectMs } from "../stage.ts"
import { isBound } from "../unprivileged.ts"
import { pageCount } from "../world/pages.ts"

export const unreadable: DemoAction = {
  key: "u",
  title: "make the source unreadable",
  act: async (stage) => {
    await stage.run("chmod 000 site")
    if (!isBound()) {
      return stage.say("root ignores permissions and setpriv is missing: nothing changes")
    }
    const naive = await stage.until(
      "the naive loop",
      () => stage.world.naiveFiles() === 0 || undefined,
      effectMs,
    )
    const after = naive === undefined ? "" : ` after ${Math.round(naive.ms)} ms`
    stage.bad(`naive loop: ${stage.world.naiveFiles()} of ${pageCount} files left${after}`)
    const seen = await stage.until("the plane to notice", async () => {
      const status = await stage.view.status()
      return status?.source === "unreadable" ? status : undefined
    })
    if (seen === undefined) return stage.say("the plane did not notice")
    stage.good(`setpoint:   ${stage.world.filesThere()} of ${pageCount} files left`)
    stage.say(`source unreadable, the last good state is kept: ${seen.value.issue}`)
    stage.say("e is still healed; b makes it readable again")
  },
}
