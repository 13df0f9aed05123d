// Entry `setpoint/client`: talk to a plane, inside this process, over its socket, or elsewhere.

export { systemClock, systemRandom } from "../base/system.ts"
export type { Client } from "../contract/client.ts"
export { fieldTerm } from "../object/field-selector.ts"
export { type HttpClient, httpClient } from "./http/http-client.ts"
export type { ClientTls, HttpClientOptions } from "./http/http-connection.ts"
export { type KubeconfigClientOptions, kubeconfigClient } from "./http/kubeconfig-client.ts"
export { inProcessClient } from "./in-process-client.ts"
export { type LeaderElectionOptions, leadOnce, type Term } from "./leader-election.ts"
export { type RemoteChange, RemoteInformer, type RemoteInformerOptions } from "./remote-informer.ts"
