// Every command, in the order in which help shows them.

import type { CliCommand } from "./command.ts"
import { adoptCommand } from "./commands/adopt.ts"
import { applyCommand } from "./commands/apply.ts"
import { approveCommand } from "./commands/approve.ts"
import { auditCommand } from "./commands/audit.ts"
import { authCommand } from "./commands/auth.ts"
import { backupCommand } from "./commands/backup.ts"
import { breakGlassCommand } from "./commands/break-glass.ts"
import { checkpointCommand } from "./commands/checkpoint.ts"
import { completionCommand } from "./commands/completion.ts"
import { dashboardCommand } from "./commands/dashboard.ts"
import { deleteCommand } from "./commands/delete.ts"
import { demoCommand } from "./commands/demo.ts"
import { describeCommand } from "./commands/describe.ts"
import { detachCommand } from "./commands/detach.ts"
import { diffCommand } from "./commands/diff.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { eventsCommand } from "./commands/events.ts"
import { explainCommand } from "./commands/explain.ts"
import { getCommand } from "./commands/get.ts"
import { guardsCommand } from "./commands/guards.ts"
import { historyCommand } from "./commands/history.ts"
import { inventoryCommand } from "./commands/inventory.ts"
import { kubeconfigCommand } from "./commands/kubeconfig.ts"
import { leaseCommand } from "./commands/lease.ts"
import { moveCommand } from "./commands/move.ts"
import { newCommand } from "./commands/new.ts"
import { pauseCommand } from "./commands/pause.ts"
import { planCommand } from "./commands/plan.ts"
import { plansCommand } from "./commands/plans.ts"
import { promoteCommand } from "./commands/promote.ts"
import { rejectCommand } from "./commands/reject.ts"
import { releaseCommand } from "./commands/release.ts"
import { reportCommand } from "./commands/report.ts"
import { restoreCommand } from "./commands/restore.ts"
import { resumeCommand } from "./commands/resume.ts"
import { rollbackCommand } from "./commands/rollback.ts"
import { secretsCommand } from "./commands/secrets.ts"
import { serveCommand } from "./commands/serve.ts"
import { statusCommand } from "./commands/status.ts"
import { stopCommand } from "./commands/stop.ts"
import { tokenCommand } from "./commands/token.ts"
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
  releaseCommand,
  moveCommand,
  detachCommand,
  inventoryCommand,
  statusCommand,
  stopCommand,
  pauseCommand,
  resumeCommand,
  breakGlassCommand,
  promoteCommand,
  guardsCommand,
  historyCommand,
  explainCommand,
  checkpointCommand,
  rollbackCommand,
  reportCommand,
  auditCommand,
  doctorCommand,
  newCommand,
  tokenCommand,
  authCommand,
  kubeconfigCommand,
  dashboardCommand,
  leaseCommand,
  secretsCommand,
  backupCommand,
  restoreCommand,
  demoCommand,
  completionCommand,
]
