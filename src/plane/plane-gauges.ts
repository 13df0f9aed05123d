// Sets the gauges of the plane as a whole before each exposition: queue, breakers, stops, store,
// backups.

import type { StopEntry } from "../contract/stop.ts"
import { catalog } from "../telemetry/catalog.ts"
import type { PlaneMoment } from "./loop-facts.ts"
import type { Plane } from "./plane.ts"

type Name =
  | "setpoint_queue_depth"
  | "setpoint_queue_delayed"
  | "setpoint_queue_running"
  | "setpoint_queue_oldest_age_seconds"
  | "setpoint_breaker_state"
  | "setpoint_acts_in_flight"
  | "setpoint_stops"
  | "setpoint_stop_age_seconds"
  | "setpoint_secrets_unreadable"
  | "setpoint_store_revision"

type BackupName =
  | "setpoint_backup_age_seconds"
  | "setpoint_backup_interval_seconds"
  | "setpoint_backup_size_bytes"
  | "setpoint_backup_failing"

const breakerStates = { closed: 0, "half-open": 1, open: 2 } as const
const places = ["plane", "loop", "provider", "object"] as const

export class PlaneGauges {
  readonly #plane: Plane
  readonly #gauge

  constructor(plane: Plane) {
    this.#plane = plane
    const { metrics } = plane.ports
    const gauge = (name: Name | BackupName) => metrics.gauge(name, catalog[name])
    this.#gauge = {
      depth: gauge("setpoint_queue_depth"),
      delayed: gauge("setpoint_queue_delayed"),
      running: gauge("setpoint_queue_running"),
      oldest: gauge("setpoint_queue_oldest_age_seconds"),
      breaker: gauge("setpoint_breaker_state"),
      acts: gauge("setpoint_acts_in_flight"),
      stops: gauge("setpoint_stops"),
      stopAge: gauge("setpoint_stop_age_seconds"),
      secrets: gauge("setpoint_secrets_unreadable"),
      revision: gauge("setpoint_store_revision"),
      ...(plane.backups === undefined
        ? {}
        : {
            backup: {
              age: gauge("setpoint_backup_age_seconds"),
              interval: gauge("setpoint_backup_interval_seconds"),
              size: gauge("setpoint_backup_size_bytes"),
              failing: gauge("setpoint_backup_failing"),
            },
          }),
    }
  }

  collect(moment: PlaneMoment): void {
    const { engine, ports, sealing } = this.#plane
    const { queue, connections, actuator } = engine
    this.#gauge.depth.set(queue.depth())
    this.#gauge.delayed.set(queue.delayed())
    this.#gauge.running.set(queue.running())
    this.#gauge.oldest.set(queue.oldestAgeMs() / 1000)
    this.#gauge.breaker.clear()
    for (const [connection, state] of connections.states()) {
      this.#gauge.breaker.set(breakerStates[state], { connection })
    }
    this.#gauge.acts.set(actuator.inFlight.count)
    this.#gauge.secrets.set(sealing.trouble === undefined ? 0 : 1)
    this.#gauge.revision.set(ports.store.revision)
    this.#stops(moment)
    this.#backups(moment)
  }

  #stops({ stops, now }: PlaneMoment): void {
    for (const of of places) {
      for (const scope of ["all", "deletes"] as const) {
        const count = stops.filter((stop) => placeOf(stop) === of && stop.scope === scope).length
        this.#gauge.stops.set(count, { of, scope })
      }
    }
    const since = stops.map(({ at }) => Date.parse(at)).filter((at) => !Number.isNaN(at))
    // One whose time nobody can read is in force all the same, and as young as can be.
    const oldest = since.length === 0 ? now : Math.min(...since)
    this.#gauge.stopAge.set(Math.max(0, now - oldest) / 1000)
  }

  #backups({ now, openedAt }: PlaneMoment): void {
    const { backups } = this.#plane
    const gauges = this.#gauge.backup
    if (backups === undefined || gauges === undefined) return
    const { last, failure, everyMs } = backups.status()
    gauges.age.set(Math.max(0, now - (backups.goodAt ?? openedAt)) / 1000)
    gauges.interval.set(everyMs / 1000)
    gauges.size.set(last?.bytes ?? 0)
    gauges.failing.set(failure === null ? 0 : 1)
  }
}

function placeOf({ loop, provider, object }: StopEntry): (typeof places)[number] {
  if (provider !== undefined) return "provider"
  if (object !== undefined) return "object"
  return loop === "*" ? "plane" : "loop"
}
