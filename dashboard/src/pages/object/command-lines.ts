// The commands that say the same in a terminal. Pure.

import { partsOf } from "../objects/object-row.ts"
import type { ObjectView } from "./object-view.ts"

export interface CommandLine {
  readonly about: string
  readonly command: string
}

type Named = Pick<ObjectView, "object" | "kind" | "name" | "log">

export function commandLines({ object, kind, name, log }: Named): CommandLine[] {
  const { type, namespace } = partsOf(object)
  const place = namespace === "" || namespace === "default" ? "" : ` -n ${quoted(namespace)}`
  const own = `${quoted(kind.toLowerCase())} ${quoted(name)}${place}`
  const there = namespace === "" ? "" : ` -n ${quoted(namespace)}`
  const kube = `${quoted(type)} ${quoted(name)}${there}`
  return [
    { about: "Why it is as it is", command: `setpoint explain ${own}` },
    { about: "What happened to it", command: `setpoint history ${own}` },
    { about: "With its events", command: `setpoint describe ${own}` },
    ...(log ? [{ about: "What it writes", command: `setpoint logs ${own} --follow` }] : []),
    { about: "The object itself", command: `kubectl get ${kube} -o yaml` },
    { about: "Leave it alone for a time", command: `setpoint pause ${own} --for 2h` },
  ]
}

/** Nothing in a name is for the shell. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
