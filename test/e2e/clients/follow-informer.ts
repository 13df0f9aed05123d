// Follows the ConfigMaps of a namespace with the informer of @kubernetes/client-node, as its
// documentation shows it, and prints every event as a line: type, name, value, resourceVersion; and
// a line of the type LIST for each full list.

import { pathToFileURL } from "node:url"

interface Followed {
  readonly metadata: { readonly name?: string; readonly resourceVersion: string }
  readonly data?: Readonly<Record<string, string>>
}

interface Informer {
  on(verb: string, callback: (object: Followed) => void): void
  start(): Promise<void>
}

const [modulePath = "", namespace = ""] = process.argv.slice(2)
const k8s = await import(pathToFileURL(modulePath).href)
const config = new k8s.KubeConfig()
config.loadFromDefault()
const api = config.makeApiClient(k8s.CoreV1Api)
const list = async () => {
  const found = await api.listNamespacedConfigMap({ namespace, labelSelector: "followed=yes" })
  print("LIST")(found)
  return found
}
const path = `/api/v1/namespaces/${namespace}/configmaps`
const informer: Informer = k8s.makeInformer(config, path, list, "followed=yes")

const print = (type: string) => (object: Followed) => {
  const { name = "", resourceVersion } = object.metadata
  process.stdout.write(`${JSON.stringify([type, name, object.data?.n ?? "", resourceVersion])}\n`)
}
for (const type of ["add", "update", "delete"]) informer.on(type, print(type))
informer.on("error", () => setTimeout(() => void informer.start(), 100))
await informer.start()
