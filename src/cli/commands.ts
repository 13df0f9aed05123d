// Every command, in the order in which help shows them.

import type { CliCommand } from "./command.ts"
import { serveCommand } from "./commands/serve.ts"
import { statusCommand } from "./commands/status.ts"
import { upCommand } from "./commands/up.ts"

export const commands: readonly CliCommand[] = [upCommand, serveCommand, statusCommand]
