// Commands as a person would type them: with the data directory where it is not the default, quoted
// for a shell.

import type { GlobalOptions } from "./command.ts"

export const defaultData = "./.setpoint"

type Where = Pick<GlobalOptions, "data" | "kubeconfig" | "context">

export function commandText({ data, kubeconfig, context }: Where, words: string): string {
  const named = context === undefined ? "" : ` --context ${shellWord(context)}`
  if (kubeconfig !== undefined) {
    return `setpoint ${words} --kubeconfig ${shellWord(kubeconfig)}${named}`
  }
  return data === defaultData ? `setpoint ${words}` : `setpoint ${words} --data ${shellWord(data)}`
}

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
