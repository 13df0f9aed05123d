// What the process, the disk under the data directory and the certificates add to the metrics.
// Everything is read when somebody asks, and what can't be read is left out.

import { X509Certificate } from "node:crypto"
import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { storePath } from "../../store/engines/private-files.ts"
import { catalog } from "../../telemetry/catalog.ts"
import type { Metrics } from "../../telemetry/metrics.ts"

export interface ProcessMetricsOptions {
  readonly directory: string
  readonly version: string
}

const resolutionMs = 20
/** The lag is that of at least so long; scrapers that come together see the same. */
const lagMs = 5000

export interface ProcessMetrics {
  /** PEM of what is shown right now. */
  certificates(read: () => Readonly<Record<string, string>>): void
  close(): void
}

export function processMetrics(metrics: Metrics, options: ProcessMetricsOptions): ProcessMetrics {
  const gauge = (name: keyof typeof catalog) => metrics.gauge(name, catalog[name])
  const build = gauge("setpoint_build_info")
  build.set(1, { version: options.version, node: process.versions.node })
  gauge("process_start_time_seconds").set(Date.now() / 1000 - process.uptime())
  const cpu = metrics.counter("process_cpu_seconds_total", catalog.process_cpu_seconds_total)
  const memory = gauge("process_resident_memory_bytes")
  const heap = gauge("nodejs_heap_used_bytes")
  metrics.onCollect(() => {
    const { user, system } = process.cpuUsage()
    cpu.reach((user + system) / 1_000_000)
    memory.set(process.memoryUsage.rss())
    heap.set(process.memoryUsage().heapUsed)
  })
  descriptors(metrics)
  disk(metrics, options.directory)
  const lag = eventLoopLag(metrics)
  const expiry = gauge("setpoint_certificate_expiry_timestamp_seconds")
  return {
    certificates: (read) =>
      metrics.onCollect(() => {
        for (const [certificate, pem] of Object.entries(read())) {
          expiry.set(Date.parse(new X509Certificate(pem).validTo) / 1000, { certificate })
        }
      }),
    close: () => lag.disable(),
  }
}

function descriptors(metrics: Metrics): void {
  const open = metrics.gauge("process_open_fds", catalog.process_open_fds)
  const most = metrics.gauge("process_max_fds", catalog.process_max_fds)
  const limit = read(() =>
    /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")),
  )
  if (limit?.[1] !== undefined) most.set(Number(limit[1]))
  metrics.onCollect(() => {
    const count = read(() => readdirSync("/proc/self/fd").length)
    if (count !== undefined) open.set(count)
  })
}

function disk(metrics: Metrics, directory: string): void {
  const size = metrics.gauge("setpoint_disk_size_bytes", catalog.setpoint_disk_size_bytes)
  const free = metrics.gauge("setpoint_disk_free_bytes", catalog.setpoint_disk_free_bytes)
  const store = metrics.gauge("setpoint_store_size_bytes", catalog.setpoint_store_size_bytes)
  const file = storePath(directory)
  metrics.onCollect(() => {
    const found = read(() => statfsSync(directory))
    if (found !== undefined) {
      size.set(found.blocks * found.bsize)
      free.set(found.bavail * found.bsize)
    }
    const files = [file, `${file}-wal`].map((path) => read(() => statSync(path).size) ?? 0)
    store.set(files.reduce((sum, bytes) => sum + bytes, 0))
  })
}

function eventLoopLag(metrics: Metrics) {
  const p99 = "nodejs_eventloop_lag_p99_seconds"
  const max = "nodejs_eventloop_lag_max_seconds"
  const [usual, most] = [metrics.gauge(p99, catalog[p99]), metrics.gauge(max, catalog[max])]
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let since = performance.now()
  metrics.onCollect(() => {
    // It measures whole turns, and one without lag takes as long as the resolution.
    const late = (ns: number) => Math.max(0, ns / 1e9 - resolutionMs / 1000)
    if (histogram.count > 0) {
      usual.set(late(histogram.percentile(99)))
      most.set(late(histogram.max))
    }
    if (performance.now() - since < lagMs) return
    histogram.reset()
    since = performance.now()
  })
  return histogram
}

function read<T>(from: () => T): T | undefined {
  try {
    return from()
  } catch {
    return undefined
  }
}
