// Every command, in the order in which help shows them.

import type { CliCommand } from "./command.ts"
import { adoptCommand } from "./commands/adopt.ts"
import { applyCommand } from "./commands/apply.ts"
import { approveCommand } from "./commands/approve.ts"
import { backupCommand } from "./commands/backup.ts"
import { completionCommand } from "./commands/completion.ts"
import { deleteCommand } from "./commands/delete.ts"
import { demoCommand } from "./commands/demo.ts"
import { describeCommand } from "./commands/describe.ts"
import { diffCommand } from "./commands/diff.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { eventsCommand } from "./commands/events.ts"
import { explainCommand } from "./commands/explain.ts"
import { getCommand } from "./commands/get.ts"
import { historyCommand } from "./commands/history.ts"
import { newCommand } from "./commands/new.ts"
import { pauseCommand } from "./commands/pause.ts"
import { planCommand } from "./commands/plan.ts"
import { plansCommand } from "./commands/plans.ts"
import { rejectCommand } from "./commands/reject.ts"
import { restoreCommand } from "./commands/restore.ts"
import { resumeCommand } from "./commands/resume.ts"
import { serveCommand } from "./commands/serve.ts"
import { statusCommand } from "./commands/status.ts"
import { stopCommand } from "./commands/stop.ts"
import { upCommand } from "./commands/up.ts"
import { watchCommand } from "./commands/watch.ts"

export const commands: readonly CliCommand[] = [
  upCommand,
  serveCommand,
  planCommand,
  applyCommand,
  getCommand,
  describeCommand,
  deleteCommand,
  diffCommand,
  watchCommand,
  eventsCommand,
  plansCommand,
  approveCommand,
  rejectCommand,
  adoptCommand,
  statusCommand,
  stopCommand,
  pauseCommand,
  resumeCommand,
  historyCommand,
  explainCommand,
  doctorCommand,
  newCommand,
  backupCommand,
  restoreCommand,
  demoCommand,
  completionCommand,
]
