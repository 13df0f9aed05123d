// What every namespace has without anybody declaring it: a loop `default` for objects that people
// make by hand, a service account `default`, and the certificate by which clients know the API.
// None of the latter two has a target, so no guard ever counts them.

import { kubeNamespaces } from "../api/admission/namespace-rules.ts"
import { followNames } from "../api/follow-names.ts"
import type { Follower } from "../api/follow-store.ts"
import { toFault } from "../base/faults.ts"
import type { Admission } from "../contract/admission.ts"
import { enginePrincipal } from "../contract/principal.ts"
import {
  type ApiObject,
  type ObjectKey,
  type ResourceRef,
  setpointGroup,
  setpointVersion,
} from "../object/object.ts"
import type { Plane } from "./plane.ts"

const loops = { group: setpointGroup, version: setpointVersion, resource: "loops" }
const accounts = { group: "", version: "v1", resource: "serviceaccounts" }
const configMaps = { group: "", version: "v1", resource: "configmaps" }
const namespaces = { group: "", version: "v1", resource: "namespaces" }

export const rootCertificateName = "kube-root-ca.crt"

/** They exist from the first start on. */
export const firstNamespaces: readonly string[] = ["default", "setpoint-system", ...kubeNamespaces]

export class NamespaceKeeper {
  readonly #plane: Plane
  #feeds: readonly Follower[] = []
  #certificate = ""

  constructor(plane: Plane) {
    this.#plane = plane
  }

  /** Those that clients expect get a loop only when something there has a target. */
  readonly admission: Admission = {
    admit: ({ operation, key, object, dryRun }) => {
      if (operation !== "create" || dryRun || !isKube(key.namespace)) return object
      if (!this.#plane.hasProvider(key.group, key.resource)) return object
      return this.#ensureLoop(key.namespace).then(() => object)
    },
  }

  /** Makes what is missing, unless the namespace is going or gone. */
  async made(namespace: string): Promise<void> {
    const ref = { ...namespaces, namespace: "", name: namespace }
    const object = await this.#plane.api.verbs.get(enginePrincipal, ref)
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return
    if (!isKube(namespace)) await this.#ensureLoop(namespace)
    await this.#ensure(accounts, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace },
    })
    await this.#ensureCertificate(namespace)
  }

  /** The certificate that clients in every namespace may trust. */
  async trust(certificate: string): Promise<void> {
    this.#certificate = certificate
    const { items } = await this.#plane.api.verbs.list(enginePrincipal, namespaces)
    for (const { metadata } of items) {
      if (metadata.deletionTimestamp === undefined) await this.#ensureCertificate(metadata.name)
    }
  }

  /** Makes again what somebody deleted. */
  async follow(enqueue: (task: () => Promise<void>) => void): Promise<void> {
    const { store, clock } = this.#plane.ports
    const names = ["default", rootCertificateName]
    const gone = ({ namespace }: ObjectKey) => enqueue(() => this.made(namespace))
    this.#feeds = [accounts, configMaps].map((resource) =>
      followNames({ store, clock, ...resource, names, gone }),
    )
    for (const feed of this.#feeds) await feed.synced()
  }

  async close(): Promise<void> {
    for (const feed of this.#feeds) await feed.close()
  }

  #ensureLoop(namespace: string): Promise<void> {
    return this.#ensure(loops, {
      apiVersion: `${setpointGroup}/${setpointVersion}`,
      kind: "Loop",
      metadata: { name: "default", namespace },
      spec: { mode: "Enforce" },
    })
  }

  async #ensureCertificate(namespace: string): Promise<void> {
    if (this.#certificate === "") return
    const object: ApiObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: rootCertificateName,
        namespace,
        annotations: { "kubernetes.io/description": "How clients here know the API server." },
      },
      data: { "ca.crt": this.#certificate },
    }
    const options = { fieldManager: "root-ca-cert-publisher", force: true }
    await quietly(this.#plane.api.verbs.apply(enginePrincipal, configMaps, object, options))
  }

  async #ensure(resource: ResourceRef, object: ApiObject): Promise<void> {
    const { verbs } = this.#plane.api
    const { namespace = "", name } = object.metadata
    const known = await verbs.get(enginePrincipal, { ...resource, namespace, name })
    if (known === undefined) await quietly(verbs.create(enginePrincipal, resource, object))
  }
}

const isKube = (namespace: string): boolean => kubeNamespaces.some((one) => one === namespace)

/** A namespace that ends meanwhile, or somebody who was faster, is no failure. */
async function quietly(task: Promise<unknown>): Promise<void> {
  try {
    await task
  } catch (error) {
    if (![403, 404, 409].includes(toFault(error).status ?? 0)) throw error
  }
}
