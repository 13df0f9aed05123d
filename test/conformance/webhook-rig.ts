// An API with a real webhook server beside it.

import { webhookCaller } from "../../src/api/http/call-webhook.ts"
import type { JsonObject } from "../../src/base/json.ts"
import type { Written } from "../../src/contract/verbs.ts"
import type { CallWebhook } from "../../src/contract/webhook.ts"
import type { ApiObject, ResourceRef } from "../../src/object/object.ts"
import {
  configuration,
  mutatingConfigurations,
  validatingConfigurations,
  webhook,
} from "./admission-objects.ts"
import { type ApiWorld, alice, note, notes, openApiWorld } from "./client-world.ts"
import { type Reply, WebhookServer } from "./webhook-server.ts"

export class WebhookRig {
  readonly world: ApiWorld
  readonly server: WebhookServer

  constructor(world: ApiWorld, server: WebhookServer) {
    this.world = world
    this.server = server
  }

  static async open(): Promise<WebhookRig> {
    const rig = new WebhookRig(await openApiWorld(), new WebhookServer())
    await rig.server.listen()
    rig.callBy(webhookCaller(new Map()))
    return rig
  }

  callBy(callWebhook: CallWebhook): void {
    Object.assign(this.world.context, { callWebhook })
  }

  /** Named after its path: /look is look.test.dev. */
  async validating(path: string, reply?: Reply, more: JsonObject = {}): Promise<void> {
    if (reply !== undefined) this.server.replies.set(path, reply)
    const name = `${path.slice(1)}.test.dev`
    const hook = webhook(name, this.server.client(path), more)
    const made = configuration("Validating", name, hook)
    await this.world.verbs.create(alice, validatingConfigurations, made)
  }

  async mutating(path: string, reply: Reply, more: JsonObject = {}): Promise<void> {
    this.server.replies.set(path, reply)
    const name = `${path.slice(1)}.test.dev`
    const hook = webhook(name, this.server.client(path), more)
    const made = configuration("Mutating", name, hook)
    await this.world.verbs.create(alice, mutatingConfigurations, made)
  }

  async withdraw(name: string): Promise<void> {
    await this.world.verbs.delete(alice, { ...validatingConfigurations, namespace: "", name })
  }

  /** Which webhooks were asked, in order. */
  get paths(): string[] {
    return this.server.asked.map(({ path }) => path)
  }

  create(name: string, spec: JsonObject = {}): Promise<Written> {
    return this.world.verbs.create(alice, notes, note(name, spec))
  }

  async read(resource: ResourceRef, name: string, namespace = "default"): Promise<ApiObject> {
    const found = await this.world.verbs.get(alice, { ...resource, namespace, name })
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }

  async close(): Promise<void> {
    await this.server.close()
    await this.world.close()
  }
}
