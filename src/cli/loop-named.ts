// A loop as people name it: NAME stands for one of the namespace they work in.

import type { GlobalOptions } from "./command.ts"

export function loopNamed(text: string, { namespace }: Pick<GlobalOptions, "namespace">): string {
  return text.includes(".") ? text : `${namespace}.${text}`
}
