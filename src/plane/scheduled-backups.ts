// The plane's own backups, when it was started with a place for them.

import { BackupSchedule } from "./backup-schedule.ts"
import type { Plane } from "./plane.ts"

export function scheduledBackups({ ports, engine }: Plane): BackupSchedule | undefined {
  if (ports.backups === undefined) return undefined
  const { files, everyMs, keep } = ports.backups
  const told = (message: string, good: boolean) => {
    engine.events.backup(message, good)
    if (!good) ports.logger.warn(message)
  }
  const revision = () => ports.store.revision
  return new BackupSchedule({ clock: ports.clock, files, revision, told }, { everyMs, keep })
}
