// Entry `setpoint/client`: talk to a plane, inside this process or over its socket.

export type { Client } from "../contract/client.ts"
export { type HttpClient, httpClient } from "./http/http-client.ts"
export type { HttpClientOptions } from "./http/http-connection.ts"
export { inProcessClient } from "./in-process-client.ts"
