// All targets of a kind gone at once is evidence against the observer: a file system that is not
// mounted, credentials that see nothing, an endpoint of another environment. Making everything
// again there would be the second mistake, so it waits for a person.

import { protects } from "../base/protections.ts"
import { type Guard, type Vanished, verdict } from "./guard.ts"

/** Fewer may well be somebody's doing. */
export const vanishedMin = 3
/** Of every hundred. */
const vanishedShare = 90

export const areAllGone = ({ gone, of }: Vanished): boolean =>
  gone >= vanishedMin && gone * 100 >= of * vanishedShare

export const vanishGuard: Guard = {
  name: "vanish",
  judge({ action, approved }, { spec, vanished }) {
    if (action.cause.kind !== "missing" || approved || spec.onVanish === "Correct") return undefined
    const found = vanished.get(action.kind)
    if (found === undefined || !protects("vanished-targets")) return undefined
    const { gone, of, settling } = found
    if (areAllGone(found)) {
      const message = `${gone} of ${of} targets of kind ${action.kind} are gone at once`
      const hint =
        "check what is read (mounts, credentials, address); approve to make them again, " +
        "or set spec.onVanish: Correct"
      return verdict("hold", { guard: "vanish", code: "AllVanished", message, hint })
    }
    if (!settling) return undefined
    const message = `${gone} targets of kind ${action.kind} are gone; looking at the others first`
    return verdict("wait", { guard: "vanish", code: "VanishCheck", message })
  },
}
