// What one check of the doctor found.

export interface Finding {
  readonly level: "ok" | "warn" | "fail"
  readonly check: string
  readonly text: string
  readonly hint?: string
}

export const ok = (check: string, text: string): Finding => ({ level: "ok", check, text })
export const warn = (check: string, text: string, hint: string): Finding => ({
  ...{ level: "warn", check, text, hint },
})
export const fail = (check: string, text: string, hint: string): Finding => ({
  ...{ level: "fail", check, text, hint },
})
