// Entry `setpoint`: embed a plane. Everything else is reached through the client.

export {
  type LocalPlane,
  type LocalPlaneOptions,
  openLocalPlane,
} from "./plane/adapters/open-local-plane.ts"
export { Plane } from "./plane/plane.ts"
export type { PlanePorts } from "./plane/ports.ts"
