// The part of the table of metrics that has a series for each loop.

import type { CatalogEntry } from "./metrics.ts"

/** So many loops have series of their own; those over it are counted as "other". */
const loopsMax = 1000

export const loopMetrics = {
  setpoint_loops: {
    type: "gauge",
    help: "Loops by mode.",
    labels: ["mode"],
  },
  setpoint_loop_interval_seconds: {
    type: "gauge",
    help: "How often the loop looks at everything.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_objects: {
    type: "gauge",
    help: "Objects that the loop keeps.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_objects_converged: {
    type: "gauge",
    help: "Objects that were seen to be as declared.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_objects_unconverged: {
    type: "gauge",
    help: "Objects that are not as declared, by state (held, denied, waiting, retrying, stuck).",
    labels: ["loop", "state"],
    seriesMax: 7 * loopsMax,
  },
  setpoint_oldest_unconverged_age_seconds: {
    type: "gauge",
    help: "For how long the oldest object has not been as declared; 0 when all are.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_inventory_targets: {
    type: "gauge",
    help: "Targets that the loop owns.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_rounds_total: {
    type: "counter",
    help: "Rounds that were judged; sets of deletes count as rounds.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_round_actions: {
    type: "gauge",
    help: "The difference as the last round found it: actions by verb, published before any acts.",
    labels: ["loop", "verb"],
    seriesMax: 6 * loopsMax,
  },
  setpoint_round_verdicts: {
    type: "gauge",
    help: "How the actions of the last round were judged, published before any acts.",
    labels: ["loop", "verdict"],
    seriesMax: 4 * loopsMax,
  },
  setpoint_actions_planned_total: {
    type: "counter",
    help: "Actions that were judged, by verb. One that waits is judged, and counted, again.",
    labels: ["loop", "verb"],
    seriesMax: 6 * loopsMax,
  },
  setpoint_acts_total: {
    type: "counter",
    help: "Actions that were carried out, by verb and result (done, failed, unknown, refused).",
    labels: ["loop", "verb", "result"],
    seriesMax: 24 * loopsMax,
  },
  setpoint_verdicts_total: {
    type: "counter",
    help: "Verdicts by guard and answer. One of several guards counts for each of them.",
    labels: ["loop", "guard", "verdict"],
    seriesMax: 10 * loopsMax,
  },
  setpoint_passes_total: {
    type: "counter",
    help: "Passes over an object by result; noop means that everything was as declared.",
    labels: ["loop", "result"],
    seriesMax: 7 * loopsMax,
  },
  setpoint_drift_found_total: {
    type: "counter",
    help: "Targets that somebody else changed or took away.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_convergence_seconds: {
    type: "histogram",
    help: "From the first sign of a difference until the target was seen as declared.",
    labels: ["loop"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400],
    seriesMax: loopsMax,
  },
  setpoint_convergence_part_seconds: {
    type: "histogram",
    help: "Its parts: queue, observe, round, hold, rate_limit, provider and wait add up to it.",
    labels: ["loop", "part"],
    buckets: [0.01, 0.1, 1, 10, 60, 600, 3600],
    seriesMax: 7 * loopsMax,
  },
  setpoint_held_actions: {
    type: "gauge",
    help: "Actions that wait for a person.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_plans_pending: {
    type: "gauge",
    help: "1 when a plan waits for a person.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_plan_age_seconds: {
    type: "gauge",
    help: "Age of the plan that waits; 0 without one. A plan that replaces another is new.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_deletes_allowed: {
    type: "gauge",
    help: "Deletes that the window allows.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_deletes_remaining: {
    type: "gauge",
    help: "Deletes that are left in the window.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_changes_allowed: {
    type: "gauge",
    help: "Changes that the window allows.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_changes_remaining: {
    type: "gauge",
    help: "Changes that are left in the window.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_observation_age_seconds: {
    type: "gauge",
    help: "Since the last look at everything that left no doubt; since the start before the first.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_observation_doubts: {
    type: "gauge",
    help: "Scopes that the last look could not read, and objects whose target can't be read.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_source_state: {
    type: "gauge",
    help: "1 for the state of the loop's source: reading, good, invalid or unreadable.",
    labels: ["loop", "state"],
    seriesMax: 5 * loopsMax,
  },
  setpoint_source_age_seconds: {
    type: "gauge",
    help: "Since the source was last read well; since the start before the first time.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_source_issues: {
    type: "gauge",
    help: "What is wrong with the source.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_source_objects: {
    type: "gauge",
    help: "Objects that the source declares; missing while it can't be used.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
  setpoint_loop_stopped: {
    type: "gauge",
    help: "1 where a stop of the plane or of the loop forbids all acting, or deletes.",
    labels: ["loop", "scope"],
    seriesMax: 2 * loopsMax,
  },
  setpoint_invariants: {
    type: "gauge",
    help: "Invariants by state: Holding, Broken or Unknown.",
    labels: ["loop", "state"],
    seriesMax: 3 * loopsMax,
  },
  setpoint_journal_entries_total: {
    type: "counter",
    help: "Entries of the loop's journal since it began.",
    labels: ["loop"],
    seriesMax: loopsMax,
  },
} as const satisfies Record<string, CatalogEntry>
