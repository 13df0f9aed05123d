// Gate: helm 3 and helm 4 install, upgrade, roll back and uninstall a chart with a definition and
// objects of it.

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { requireClient } from "../tools.ts"
import { ServedPlane } from "./clients/served-plane.ts"
import { widgetDefinition } from "./clients/widget-definition.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

function writeChart(folder: string): void {
  mkdirSync(join(folder, "crds"), { recursive: true })
  mkdirSync(join(folder, "templates"))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '1'\n")
  write("values.yaml", "color: red\nports: [{name: http, port: 80}]\nextra: false\nreader: true\n")
  write("crds/widgets.yaml", widgetDefinition)
  write(
    "templates/widget.yaml",
    `apiVersion: example.dev/v1
kind: Widget
metadata:
  name: {{ .Release.Name }}-front
  labels: {app: {{ .Release.Name }}}
spec:
  color: {{ .Values.color }}
  ports:
  {{- range .Values.ports }}
  - {name: {{ .name }}, port: {{ .port }}}
  {{- end }}
`,
  )
  write(
    "templates/config.yaml",
    `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data: {color: {{ .Values.color }}}
{{- if .Values.extra }}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-extra}
stringData: {password: hunter2}
{{- end }}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
{{- if .Values.reader }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [example.dev], resources: [widgets], verbs: [get]}]
{{- end }}
`,
  )
}

describe.each(["helm-3", "helm-4"])("%s", (name) => {
  const program = requireClient(name)
  const kubectl = requireClient("kubectl-1.35")
  const step = it.skipIf(program.missing || kubectl.missing)
  let plane: ServedPlane
  let chart = ""
  const helm = (...args: readonly string[]): string => {
    const { code, out, err } = plane.run(program.path, args)
    expect(`${args.join(" ")}: ${code} ${err}`).toMatch(/: 0 /)
    return out
  }
  const get = (...args: readonly string[]) => {
    const { code, out } = plane.run(kubectl.path, ["get", ...args, "-o", "json"])
    return code === 0 ? JSON.parse(out) : undefined
  }

  beforeAll(async () => {
    if (program.missing || kubectl.missing) return
    plane = new ServedPlane()
    chart = join(plane.base, "shop")
    writeChart(chart)
    await plane.start()
  })
  afterAll(() => plane?.close())

  step("installs the definition and what is made of it", () => {
    expect(helm("install", "web", chart, "--wait", "--timeout", "60s")).toContain(
      "STATUS: deployed",
    )
    expect(get("widget", "web-front").spec).toMatchObject({
      color: "red",
      replicas: 1,
      ports: [{ name: "http", port: 80 }],
    })
    expect(get("cm", "web-config").data).toEqual({ color: "red" })
    expect(get("sa", "web")).toBeDefined()
    expect(get("role", "web").rules).toEqual([
      { apiGroups: ["example.dev"], resources: ["widgets"], verbs: ["get"] },
    ])
    expect(JSON.parse(helm("list", "-o", "json"))).toMatchObject([
      { name: "web", revision: "1", status: "deployed" },
    ])
  })

  step("upgrades: changes, adds, removes, and keeps what others changed elsewhere", () => {
    plane.run(kubectl.path, ["label", "widget", "web-front", "by=hand"])
    helm("upgrade", "web", chart, "--set", "color=blue,extra=true,reader=false", "--timeout", "60s")
    const front = get("widget", "web-front")
    expect(front.spec.color).toBe("blue")
    expect(front.metadata.labels).toMatchObject({ by: "hand", app: "web" })
    expect(get("cm", "web-config").data).toEqual({ color: "blue" })
    expect(get("role", "web")).toBeUndefined()
    expect(get("secret", "web-extra").data.password).toBe(Buffer.from("hunter2").toString("base64"))
  })

  step(
    "refuses a value that the definition does not allow, and changes nothing of that object",
    () => {
      const { code, err } = plane.run(program.path, [
        "upgrade",
        "web",
        chart,
        "--set",
        "color=pink,extra=true",
      ])
      expect(code).not.toBe(0)
      expect(err).toContain("Unsupported value")
      expect(get("widget", "web-front").spec.color).toBe("blue")
    },
  )

  step("rolls back to the first revision", () => {
    helm("rollback", "web", "1", "--timeout", "60s")
    expect(get("widget", "web-front").spec.color).toBe("red")
    expect(get("cm", "web-config").data).toEqual({ color: "red" })
    expect(get("secret", "web-extra")).toBeUndefined()
    expect(get("role", "web")).toBeDefined()
    const history = JSON.parse(helm("history", "web", "-o", "json")) as { description: string }[]
    expect(history.at(-1)?.description).toContain("Rollback to 1")
  })

  step("uninstalls everything but the definition", () => {
    expect(helm("uninstall", "web", "--wait", "--timeout", "60s")).toContain("uninstalled")
    expect(get("widget", "web-front")).toBeUndefined()
    expect(get("cm", "web-config")).toBeUndefined()
    expect(get("sa", "web")).toBeUndefined()
    expect(get("role", "web")).toBeUndefined()
    expect(JSON.parse(helm("list", "-o", "json"))).toEqual([])
    expect(get("crd", "widgets.example.dev")).toBeDefined()
  })
})
