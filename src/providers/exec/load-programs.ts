// The kinds of the programs that an operator named at start. Each describes itself once; one that
// can't is refused, so that a plane never runs with half of what it was told to run.

import type { CommandsRead } from "../../contract/commands.ts"
import type { KindProvider } from "../../contract/provider.ts"
import { execKind } from "./exec-kind.ts"
import { type ExecClock, ExecProgram, type ExecProgramOptions } from "./exec-program.ts"
import { execFault } from "./faults.ts"

const namePattern = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/

export async function loadPrograms(
  programs: readonly ExecProgramOptions[],
  commands: CommandsRead,
  clock: ExecClock,
): Promise<readonly KindProvider[]> {
  const kinds: KindProvider[] = []
  const names = new Set<string>()
  for (const options of programs) {
    const { name } = options
    const refuse = (cause: string, error?: unknown) =>
      execFault("SPT-EXEC-001", { name, cause }, error)
    if (!namePattern.test(name)) throw refuse("its name is not of lower-case letters and digits")
    if (names.has(name)) throw refuse("two programs have that name")
    names.add(name)
    const program = new ExecProgram(options, clock)
    const never = new AbortController().signal
    const { kinds: described } = await program.describe(commands, never).catch((error) => {
      if (error instanceof Error && Reflect.get(error, "code") === "SPT-EXEC-002") throw error
      throw refuse(error instanceof Error ? error.message : String(error), error)
    })
    kinds.push(...described.map((one) => execKind(program, one)))
  }
  return kinds
}
