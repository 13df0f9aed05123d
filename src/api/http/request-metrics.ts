// What /metrics tells of the API. Labels come from closed sets: verbs, resources that are served,
// routes that exist and status codes; everything else is "other".

import { catalog } from "../../telemetry/catalog.ts"
import type { Metrics } from "../../telemetry/metrics.ts"
import type { ResourceRegistry } from "../resource-registry.ts"
import type { Lanes } from "./lanes.ts"
import type { PlainRoute } from "./plain-route.ts"
import type { RequestInfo } from "./request-info.ts"

export interface RequestSeen {
  readonly plain: PlainRoute | undefined
  readonly info: RequestInfo
  readonly status: number
  readonly seconds: number
}

export interface RequestMetrics {
  done(seen: RequestSeen): void
}

const verbs: ReadonlySet<string> = new Set([
  ...["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"],
  ...["post", "put", "head"],
])

export function requestMetrics(
  metrics: Metrics,
  registry: ResourceRegistry,
  lanes: Lanes,
): RequestMetrics {
  const requests = metrics.counter(
    "setpoint_api_requests_total",
    catalog.setpoint_api_requests_total,
  )
  const durations = metrics.histogram(
    "setpoint_api_request_duration_seconds",
    catalog.setpoint_api_request_duration_seconds,
  )
  const [inFlight, waiting, watches] = [
    gauge("setpoint_api_requests_in_flight"),
    gauge("setpoint_api_requests_waiting"),
    gauge("setpoint_api_watches_open"),
  ]
  function gauge(name: keyof typeof catalog) {
    return metrics.gauge(name, catalog[name])
  }
  metrics.onCollect(() => {
    for (const lane of ["ordinary", "reserved"] as const) {
      inFlight.set(lanes[lane].running, { lane })
      waiting.set(lanes[lane].waiting, { lane })
    }
    watches.set(lanes.watchCount)
  })
  return {
    done({ plain, info, status, seconds }) {
      const verb = verbs.has(info.access.verb) ? info.access.verb : "other"
      const resource = plain?.pattern ?? resourceLabel(registry, info)
      requests.add(1, { verb, resource, code: String(status) })
      if (!info.isWatch) durations.observe(Math.max(0, seconds), { verb, resource })
    },
  }
}

function resourceLabel(registry: ResourceRegistry, { target }: RequestInfo): string {
  if (target === undefined) return "other"
  const { group, resource } = target.resource
  if (registry.find(target.resource) === undefined) return "other"
  const name = group === "" ? resource : `${resource}.${group}`
  return target.subresource === "status" ? `${name}/status` : name
}

export function metricsRoute(metrics: Metrics): PlainRoute {
  const contentType = "text/plain; version=0.0.4; charset=utf-8"
  return {
    pattern: "/metrics",
    answer: () => ({ status: 200, text: metrics.expose(), contentType }),
  }
}
