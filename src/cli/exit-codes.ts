// Exit codes are a contract: scripts branch on them.

export const exitCode = {
  ok: 0,
  failed: 1,
  /** `plan` and `diff`: there are differences. */
  differences: 2,
  /** Something waits for a person. */
  held: 3,
  usage: 64,
} as const
