// The loop `web`: five replicas of a small server behind a balancer, and the server itself, a
// script that lies in the demo's folder. Pure.

import { stringify } from "yaml"

export const replicaCount = 5
/** Replicas and those that replace them, the balancer's port, the ports of its health. */
export const portCount = 20

const surge = 2

export interface WebPlace {
  readonly folder: string
  readonly node: readonly string[]
  readonly port: number
}

export const frontPort = ({ port }: Pick<WebPlace, "port">) => port + 9

/** A busy machine is no reason to call a server dead. */
const patient = { periodSeconds: 0.3, timeoutSeconds: 5 }

export function webManifests({ folder, node, port }: WebPlace): Readonly<Record<string, string>> {
  const set = {
    apiVersion: "process.setpoint.dev/v1",
    kind: "ProcessSet",
    metadata: { name: "web" },
    spec: {
      replicas: replicaCount,
      ports: { base: port },
      drainSeconds: 0,
      strategy: { maxSurge: surge, minReadySeconds: 0, progressDeadlineSeconds: 120 },
      template: {
        command: [...node, `${folder}/server.mjs`],
        cwd: folder,
        env: { VERSION: "v1" },
        backoff: { initialSeconds: 0 },
        stopGraceSeconds: 5,
        probes: {
          startup: { http: { path: "/" }, periodSeconds: 0.1, failureThreshold: 600 },
          readiness: { ...patient, http: { path: "/" }, failureThreshold: 2 },
          liveness: { ...patient, http: { path: "/" }, failureThreshold: 5 },
        },
      },
    },
  }
  const front = {
    apiVersion: "process.setpoint.dev/v1",
    kind: "Balancer",
    metadata: { name: "front" },
    spec: {
      listen: { port: frontPort({ port }) },
      backends: { set: "web" },
      configFile: `${folder}/run/front.json`,
      health: { base: port + 10 },
      waitSeconds: 20,
      retryBeforeFirstByte: true,
    },
  }
  return { "set.yaml": stringify(set), "front.yaml": stringify(front) }
}

export const serverScript = `// A replica of web: answers with its version and its process id.
import { createServer } from "node:http"

const { SETPOINT_PORT, VERSION } = process.env
const server = createServer((request, response) => {
  setTimeout(() => response.end(\`\${VERSION} \${process.pid}\\n\`), 5)
})
server.listen(Number(SETPOINT_PORT), "127.0.0.1")
process.on("SIGTERM", () => server.close(() => process.exit(0)))
`
