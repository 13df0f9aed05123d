// What is wrong with manifests, each at its place: file:line:column, what, its code, what to do.

import { positionText, type SourceIssue } from "../../contract/source.ts"
import type { Terminal } from "../terminal.ts"
import { printable } from "./printable.ts"

export function issueLines(
  issues: readonly SourceIssue[],
  terminal: Pick<Terminal, "paint">,
): string[] {
  return issues.flatMap(({ position, message, code, hint }) => {
    const place = position === undefined ? "" : `${printable(positionText(position))}: `
    const said = `${place}${terminal.paint("red", "error:")} ${printable(message)} [${code}]`
    return hint === "" ? [said] : [said, `  ${terminal.paint("dim", "hint:")} ${printable(hint)}`]
  })
}
