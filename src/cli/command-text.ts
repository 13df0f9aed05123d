// Commands as a person would type them: with the data directory where it is not the default, quoted
// for a shell.

import type { GlobalOptions } from "./command.ts"

export const defaultData = "./.setpoint"

export function commandText(options: Pick<GlobalOptions, "data">, words: string): string {
  const { data } = options
  return data === defaultData ? `setpoint ${words}` : `setpoint ${words} --data ${shellWord(data)}`
}

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
