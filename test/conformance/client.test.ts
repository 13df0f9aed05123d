import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Extensions } from "../../src/api/extensions.ts"
import { type HttpServerOptions, serveHttp } from "../../src/api/http/http-server.ts"
import { systemClock } from "../../src/base/system.ts"
import { httpClient } from "../../src/client/http/http-client.ts"
import { inProcessClient } from "../../src/client/in-process-client.ts"
import { allowAll } from "../../src/contract/authorizer.ts"
import { clientConformance } from "./client.ts"
import { type ApiWorld, alice } from "./client-world.ts"

function echoes(): Extensions {
  const extensions = new Extensions()
  for (const method of ["GET", "POST"] as const) {
    extensions.register({
      method,
      pattern: "/setpoint/v1/echo/:name",
      handler: async (_, params, query, body) => ({
        name: params.name ?? "",
        x: query.get("x"),
        body: body ?? null,
      }),
    })
  }
  return extensions
}

async function overHttp(world: ApiWorld, where: Pick<HttpServerOptions, "socketPath" | "port">) {
  const { verbs, reads, registry } = world
  const server = await serveHttp({
    verbs,
    reads,
    registry,
    extensions: echoes(),
    clock: systemClock,
    authenticate: ({ token }) => (token === "secret" ? alice : undefined),
    authorizer: allowAll,
    ...where,
  })
  const { url, socketPath } = server
  const client = httpClient({
    token: "secret",
    ...(url === undefined ? {} : { url }),
    ...(socketPath === undefined ? {} : { socketPath }),
  })
  return {
    client,
    close: async () => {
      client.close()
      await server.close()
    },
  }
}

clientConformance("the in-process client", async (world) => ({
  client: inProcessClient(world.verbs, alice, echoes()),
  close: async () => {},
}))

clientConformance("the HTTP client on a unix socket", async (world) => {
  const directory = mkdtempSync(join(tmpdir(), "setpoint-client-"))
  const under = await overHttp(world, { socketPath: join(directory, "api.sock") })
  const close = async () => {
    await under.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { client: under.client, close }
})

clientConformance("the HTTP client on a loopback port", (world) => overHttp(world, { port: 0 }))
