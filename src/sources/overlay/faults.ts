// Everything that can be wrong with an overlay, in one table. Codes are forever. They are reported
// as issues of the source at the place that they are about, and never thrown.

import { defineFaults } from "../../base/faults.ts"
import type { Position, SourceIssue } from "../../contract/source.ts"

export const overlayFault = defineFaults({
  "SPT-OVERLAY-001": {
    fault: "stuck",
    text: "cannot read the overlay: {member} {problem}",
    hint: "an Overlay has base, variables and patches; see docs/guides/environments.md",
  },
  "SPT-OVERLAY-002": {
    fault: "stuck",
    text: "cannot use the base {base}: {cause}",
    hint: "{hint}",
  },
  "SPT-OVERLAY-003": {
    fault: "stuck",
    text: "cannot use the overlay in {folder}: only the top of a loop's folder or base has one",
    hint: "point the loop at that folder, or move its manifests out of this one",
  },
  "SPT-OVERLAY-004": {
    fault: "stuck",
    text: "cannot go on to the base {base}: more than {limit} overlays lie above each other",
    hint: "flatten the chain of bases",
  },
  "SPT-OVERLAY-005": {
    fault: "stuck",
    text: "cannot patch {target}: no manifest matches it",
    hint: "correct the target's kind, name, namespace or group, or remove the patch",
  },
  "SPT-OVERLAY-006": {
    fault: "stuck",
    text: "cannot patch {target}: it matches {count} manifests, among them {places}",
    hint: "name the target's namespace or group, so that one is left",
  },
  "SPT-OVERLAY-007": {
    fault: "stuck",
    text: "cannot patch {target}: {cause}",
    hint: "correct the patch; it is applied to the manifest as its base makes it",
  },
  "SPT-OVERLAY-008": {
    fault: "stuck",
    text: "cannot patch {target}: {member} can't be changed by a patch",
    hint: "remove the object with `remove: true` and declare another one instead",
  },
  "SPT-OVERLAY-009": {
    fault: "stuck",
    text: "cannot replace the variable {name}: no overlay gives it a value",
    hint: "add it to `variables`; or write $$ for $ when the text is meant as it stands",
  },
  "SPT-OVERLAY-010": {
    fault: "stuck",
    text: "cannot replace variables: the result has more than {limit} characters",
    hint: "shorten the values, or split the source over several loops",
  },
  "SPT-OVERLAY-011": {
    fault: "stuck",
    text: "cannot use {target}: variables and patches make it more than {limit} bytes",
    hint: "shorten the values, or split the object",
  },
  "SPT-OVERLAY-012": {
    fault: "stuck",
    text: "cannot patch {target}: the patches of this source add more than {limit} bytes",
    hint: "shorten the values, or split the source over several loops",
  },
})

export type OverlayCode = keyof typeof overlayFault.table

export function overlayIssue(
  code: OverlayCode,
  details: Readonly<Record<string, string | number>>,
  position: Position,
): SourceIssue {
  const { message, hint } = overlayFault(code, details)
  return { code, message, hint, position }
}
