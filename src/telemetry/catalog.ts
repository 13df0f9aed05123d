// Every metric of a plane in one table: what is counted, in which unit, with which labels. Parts
// that count take their metric from here, the reference page is made of it, and rules and
// dashboards are held against it. Labels are closed sets, or loops, kinds and connections, which
// are bounded in number.

import { loopMetrics } from "./loop-catalog.ts"
import type { CatalogEntry } from "./metrics.ts"

/** Connections, kinds of providers and other names that people give. */
const namesMax = 200

const queue = {
  setpoint_queue_depth: {
    type: "gauge",
    help: "Objects that wait for a pass.",
  },
  setpoint_queue_delayed: {
    type: "gauge",
    help: "Objects that wait for a time: a backoff, a window, a second look.",
  },
  setpoint_queue_running: {
    type: "gauge",
    help: "Passes under way.",
  },
  setpoint_queue_oldest_age_seconds: {
    type: "gauge",
    help: "For how long the object at the head of the queue has waited; 0 when none waits.",
  },
} as const satisfies Record<string, CatalogEntry>

const providers = {
  setpoint_provider_calls_total: {
    type: "counter",
    help: "Calls of providers by kind, call (observe, list, create, update, delete) and result.",
    labels: ["kind", "call", "result"],
    seriesMax: 20 * namesMax,
  },
  setpoint_provider_call_duration_seconds: {
    type: "histogram",
    help: "How long calls of providers took, without the wait for their rate limit.",
    labels: ["kind", "call"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    seriesMax: 5 * namesMax,
  },
  setpoint_provider_rate_limit_wait_seconds_total: {
    type: "counter",
    help: "Time that reads have waited for the rate limit of their connection.",
    labels: ["kind"],
    seriesMax: namesMax,
  },
  setpoint_breaker_state: {
    type: "gauge",
    help: "The breaker of a connection: 0 closed, 1 half open (one probe at a time), 2 open.",
    labels: ["connection"],
    seriesMax: namesMax,
  },
  setpoint_acts_in_flight: {
    type: "gauge",
    help: "Mutating calls under way.",
  },
} as const satisfies Record<string, CatalogEntry>

const safety = {
  setpoint_stops: {
    type: "gauge",
    help: "Stops in force, by what they cover (plane, loop, provider, object) and scope.",
    labels: ["of", "scope"],
  },
  setpoint_stop_age_seconds: {
    type: "gauge",
    help: "For how long the oldest stop has been in force; 0 when nothing is stopped.",
  },
  setpoint_secrets_unreadable: {
    type: "gauge",
    help: "1 when Secrets are encrypted with a key that the plane does not have.",
  },
} as const satisfies Record<string, CatalogEntry>

const store = {
  setpoint_store_revision: {
    type: "gauge",
    help: "The newest revision of the store.",
  },
  setpoint_store_commits_total: {
    type: "counter",
    help: "Commits by result: committed, refused (a check did not hold) or failed.",
    labels: ["result"],
  },
  setpoint_store_commit_duration_seconds: {
    type: "histogram",
    help: "How long commits took until they were durable.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  setpoint_store_size_bytes: {
    type: "gauge",
    help: "Bytes of the store's files in the data directory.",
  },
  setpoint_disk_free_bytes: {
    type: "gauge",
    help: "Bytes that are free for the plane on the disk of its data directory.",
  },
  setpoint_disk_size_bytes: {
    type: "gauge",
    help: "Size of the disk of the data directory.",
  },
  setpoint_backup_age_seconds: {
    type: "gauge",
    help: "Since all that is stored was backed up; since the start when it never was.",
  },
  setpoint_backup_interval_seconds: {
    type: "gauge",
    help: "How often a backup is made. Missing, as all of backups, where none are scheduled.",
  },
  setpoint_backup_size_bytes: {
    type: "gauge",
    help: "Size of the last good backup.",
  },
  setpoint_backup_failing: {
    type: "gauge",
    help: "1 when the last backup that was tried failed.",
  },
} as const satisfies Record<string, CatalogEntry>

const processes = {
  setpoint_build_info: {
    type: "gauge",
    help: "1, with the versions of Setpoint and of Node as labels.",
    labels: ["version", "node"],
  },
  setpoint_certificate_expiry_timestamp_seconds: {
    type: "gauge",
    help: "When a certificate of the plane ends: of its server, or of its own authority.",
    labels: ["certificate"],
  },
  process_start_time_seconds: {
    type: "gauge",
    help: "When the process started.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    help: "Time that the process had on a processor.",
  },
  process_resident_memory_bytes: {
    type: "gauge",
    help: "Memory of the process.",
  },
  process_open_fds: {
    type: "gauge",
    help: "Open file descriptors.",
  },
  process_max_fds: {
    type: "gauge",
    help: "How many file descriptors may be open.",
  },
  nodejs_heap_used_bytes: {
    type: "gauge",
    help: "Heap in use.",
  },
  nodejs_eventloop_lag_p99_seconds: {
    type: "gauge",
    help: "Of 100 turns of the event loop 99 were late by at most this, lately.",
  },
  nodejs_eventloop_lag_max_seconds: {
    type: "gauge",
    help: "By how much a turn of the event loop was late at most, lately.",
  },
} as const satisfies Record<string, CatalogEntry>

const requests = {
  setpoint_api_requests_total: {
    type: "counter",
    help: "Requests by verb, resource and status.",
    labels: ["verb", "resource", "code"],
    seriesMax: 4000,
  },
  setpoint_api_request_duration_seconds: {
    type: "histogram",
    help: "How long requests took, watches apart.",
    labels: ["verb", "resource"],
    seriesMax: 500,
  },
  setpoint_api_requests_in_flight: {
    type: "gauge",
    help: "Requests being worked on.",
    labels: ["lane"],
  },
  setpoint_api_requests_waiting: {
    type: "gauge",
    help: "Requests that wait for a slot.",
    labels: ["lane"],
  },
  setpoint_api_watches_open: {
    type: "gauge",
    help: "Watches that are open.",
  },
} as const satisfies Record<string, CatalogEntry>

/** In the order of the reference page. */
export const catalogParts: Readonly<Record<string, Readonly<Record<string, CatalogEntry>>>> = {
  "Loops and rounds": loopMetrics,
  Queue: queue,
  Providers: providers,
  "Stops and secrets": safety,
  "Store, disk and backups": store,
  API: requests,
  Process: processes,
}

export const catalog = {
  ...loopMetrics,
  ...queue,
  ...providers,
  ...safety,
  ...store,
  ...requests,
  ...processes,
}
