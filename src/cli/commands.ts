// Every command, in the order in which help shows them.

import type { CliCommand } from "./command.ts"
import { adoptCommand } from "./commands/adopt.ts"
import { applyCommand } from "./commands/apply.ts"
import { approveCommand } from "./commands/approve.ts"
import { auditCommand } from "./commands/audit.ts"
import { authCommand } from "./commands/auth.ts"
import { backupCommand } from "./commands/backup.ts"
import { balancerCommand } from "./commands/balancer.ts"
import { breakGlassCommand } from "./commands/break-glass.ts"
import { checkpointCommand } from "./commands/checkpoint.ts"
import { completeCommand } from "./commands/complete.ts"
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
import { importCommand } from "./commands/import.ts"
import { inventoryCommand } from "./commands/inventory.ts"
import { kubeconfigCommand } from "./commands/kubeconfig.ts"
import { leaseCommand } from "./commands/lease.ts"
import { logsCommand } from "./commands/logs.ts"
import { moveCommand } from "./commands/move.ts"
import { newCommand } from "./commands/new.ts"
import { notifyCommand } from "./commands/notify.ts"
import { pauseCommand } from "./commands/pause.ts"
import { planCommand } from "./commands/plan.ts"
import { plansCommand } from "./commands/plans.ts"
import { promoteCommand } from "./commands/promote.ts"
import { rejectCommand } from "./commands/reject.ts"
import { releaseCommand } from "./commands/release.ts"
import { renderCommand } from "./commands/render.ts"
import { reportCommand } from "./commands/report.ts"
import { restoreCommand } from "./commands/restore.ts"
import { resumeCommand } from "./commands/resume.ts"
import { rollbackCommand } from "./commands/rollback.ts"
import { secretsCommand } from "./commands/secrets.ts"
import { serveCommand } from "./commands/serve.ts"
import { sourceCommand } from "./commands/source.ts"
import { statusCommand } from "./commands/status.ts"
import { stopCommand } from "./commands/stop.ts"
import { tokenCommand } from "./commands/token.ts"
import { topCommand } from "./commands/top.ts"
import { upCommand } from "./commands/up.ts"
import { watchCommand } from "./commands/watch.ts"

export const commands: readonly CliCommand[] = [
  upCommand,
  serveCommand,
  planCommand,
  renderCommand,
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
  importCommand,
  adoptCommand,
  releaseCommand,
  moveCommand,
  detachCommand,
  inventoryCommand,
  statusCommand,
  topCommand,
  stopCommand,
  pauseCommand,
  resumeCommand,
  breakGlassCommand,
  promoteCommand,
  guardsCommand,
  historyCommand,
  explainCommand,
  logsCommand,
  notifyCommand,
  checkpointCommand,
  rollbackCommand,
  sourceCommand,
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
  balancerCommand,
  demoCommand,
  completionCommand,
  completeCommand,
]
