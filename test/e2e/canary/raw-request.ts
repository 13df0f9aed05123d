// A request in whatever bytes, over the plane's socket; of the answer everything, headers too.

import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import type { PlaneRig } from "../plane/plane-rig.ts"

export interface Raw {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string | Buffer
  /** The owner's when not given. */
  readonly token?: string
}

export interface Said {
  readonly status: number
  readonly headers: string
  readonly text: string
}

export function askRaw(plane: PlaneRig, { method, path, type, body, token }: Raw): Promise<Said> {
  const bearer = token ?? readFileSync(join(plane.data, "token"), "utf8").trim()
  const headers = {
    authorization: `Bearer ${bearer}`,
    ...(type === undefined ? {} : { "content-type": type }),
  }
  const socketPath = join(plane.data, "api.sock")
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, headers }, async (response) => {
      const text = (await response.setEncoding("utf8").toArray()).join("")
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers: JSON.stringify(headers), text })
    })
    call.once("error", reject)
    call.end(body)
  })
}
