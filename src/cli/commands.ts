// Every command, in the order in which help shows them.

import type { CliCommand } from "./command.ts"
import { backupCommand } from "./commands/backup.ts"
import { completionCommand } from "./commands/completion.ts"
import { demoCommand } from "./commands/demo.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { planCommand } from "./commands/plan.ts"
import { restoreCommand } from "./commands/restore.ts"
import { resumeCommand } from "./commands/resume.ts"
import { serveCommand } from "./commands/serve.ts"
import { statusCommand } from "./commands/status.ts"
import { stopCommand } from "./commands/stop.ts"
import { upCommand } from "./commands/up.ts"

export const commands: readonly CliCommand[] = [
  upCommand,
  serveCommand,
  planCommand,
  statusCommand,
  stopCommand,
  resumeCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  demoCommand,
  completionCommand,
]
