// Gate: one script of what people do with kubectl, run by three versions of the real program
// against a real plane; exit codes and output are checked step by step. The newest version runs all
// of it; the older ones what depends on the version most, and all of it with `npm run test:all`.

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { full } from "../full.ts"
import { requireClient } from "../tools.ts"
import { outputForms } from "./clients/output-forms.ts"
import { running, split, watching } from "./clients/run-client.ts"
import { type Ran, ServedPlane } from "./clients/served-plane.ts"
import { widget, widgetDefinition } from "./clients/widget-definition.ts"
import { pause, waitFor } from "./plane/wait-for.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 })

/** The newest and the oldest always; what lies between, and all steps of all, in test:all. */
const versions = [
  { name: "kubectl-1.35", minor: 35, whole: true },
  ...(full ? [{ name: "kubectl-1.32", minor: 32, whole: true }] : []),
  { name: "kubectl-1.20", minor: 20, whole: full },
]

describe.each(versions)("$name", ({ name, minor, whole }) => {
  const program = requireClient(name)
  let plane: ServedPlane
  const kubectl = (args: string, input = "", env: Record<string, string> = {}): Ran =>
    plane.run(program.path, split(args), input, env)
  const ok = (args: string, input = "", env: Record<string, string> = {}): string => {
    const { code, out, err } = kubectl(args, input, env)
    expect(`${args}: ${code} ${err}`).toMatch(/: 0 (W(arning|ARNING)[^\n]*\n|Flag --[^\n]*\n)*$/)
    return out
  }
  const fails = (args: string, input = ""): string => {
    const { code, out, err } = kubectl(args, input)
    expect([args, code === 0]).toEqual([args, false])
    return out + err
  }

  beforeAll(async () => {
    if (program.missing) return
    plane = new ServedPlane()
    await plane.start()
  })
  afterAll(() => plane?.close())

  /** Each builds on what the ones before left; `stepMore` on nothing but steps. */
  const step = it.skipIf(program.missing)
  const stepMore = it.skipIf(program.missing || !whole)

  step("names the server, its resources and versions", () => {
    expect(ok("version")).toMatch(/v1\.35\.0\+setpoint/)
    const resources = ok("api-resources")
    expect(resources).toMatch(/configmaps +cm +v1 +true +ConfigMap/)
    expect(resources).toMatch(/loops +\S* *setpoint\.dev\/v1alpha1 +true +Loop/)
    expect(ok("api-versions").split("\n")).toEqual(
      expect.arrayContaining(["v1", "setpoint.dev/v1alpha1", "apiextensions.k8s.io/v1"]),
    )
    expect(ok("get ns default -o jsonpath={.status.phase}")).toBe("Active")
  })

  step("creates a definition and waits until it is established", () => {
    expect(ok("apply -f -", widgetDefinition)).toContain("widgets.example.dev created")
    const crd = "crd/widgets.example.dev"
    expect(ok(`wait --for=condition=Established ${crd} --timeout=30s`)).toContain("condition met")
    expect(ok("api-resources --api-group=example.dev")).toMatch(/widgets +wd .*true +Widget/)
  })

  step("creates by command, by file and by generated name, and refuses what is wrong", () => {
    expect(ok("create configmap one --from-literal=a=1 --from-literal=b=2")).toBe(
      "configmap/one created\n",
    )
    expect(ok("create secret generic hidden --from-literal=password=hunter2")).toBe(
      "secret/hidden created\n",
    )
    expect(ok("create namespace scratch")).toBe("namespace/scratch created\n")
    expect(ok("create -f -", widget("made", "{color: blue}"))).toBe(
      "widget.example.dev/made created\n",
    )
    expect(fails("create -f -", widget("made", "{color: blue}"))).toContain("AlreadyExists")
    const generated = widget("x", "{color: red}").replace("name: x", "generateName: gen-")
    expect(ok("create -f -", generated)).toMatch(/^widget\.example\.dev\/gen-[a-z0-9]{5} created/)
    expect(fails("create -f -", widget("bad", "{color: pink}"))).toContain("Unsupported value")
    expect(fails("create -f -", widget("bad", "{}"))).toMatch(/spec\.color|missing required/)
    const past = fails("create -f -", widget("bad", "{color: blue, replicas: 60}"))
    expect(past).toContain("only red widgets scale past 50")
    const unknown = fails("create -f -", widget("bad", "{color: blue, colour: red}"))
    expect(unknown).toMatch(/unknown field "(spec\.)?colour"/)
    expect(fails("get widget bad")).toContain('widgets.example.dev "bad" not found')
  })

  step("applies, says when nothing changed, and shows the difference", () => {
    const first = widget("app", "{color: red, replicas: 2}")
    expect(ok("apply -f -", first)).toBe("widget.example.dev/app created\n")
    expect(ok("apply -f -", first)).toBe("widget.example.dev/app unchanged\n")
    const second = widget("app", "{color: green, replicas: 2}")
    const { code, out } = kubectl("diff -f -", second)
    expect(code).toBe(1)
    expect(out).toMatch(/-\s+color: red\n\+\s+color: green/)
    expect(ok("apply -f -", second)).toBe("widget.example.dev/app configured\n")
    expect(kubectl("diff -f -", second).code).toBe(0)
    expect(ok("apply --dry-run=server -f -", first)).toContain("configured (server dry run)")
    expect(ok("get widget app -o jsonpath={.spec.color}")).toBe("green")
    const map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: {a: x, b: w}\n"
    expect(ok("apply -f -", map)).toBe("configmap/applied created\n")
    expect(ok("apply -f -", map.replace(", b: w", ", c: z"))).toBe("configmap/applied configured\n")
    expect(JSON.parse(ok("get cm applied -o json")).data).toEqual({ a: "x", c: "z" })
  })

  step("applies on the server, with a conflict and its resolution", () => {
    const mine = widget("shared", "{color: red, note: mine}")
    const theirs = widget("shared", "{color: blue}")
    expect(ok("apply --server-side --field-manager=me -f -", mine)).toBe(
      "widget.example.dev/shared serverside-applied\n",
    )
    const refused = fails("apply --server-side --field-manager=them -f -", theirs)
    expect(refused).toMatch(/conflict with "me"[^\n]*: \.spec\.color/)
    expect(refused).toContain("--force-conflicts")
    const forced = "apply --server-side --force-conflicts --field-manager=them -f -"
    expect(ok(forced, theirs)).toContain("serverside-applied")
    const spec = JSON.parse(ok("get widget shared -o json")).spec
    expect(spec).toMatchObject({ color: "blue", note: "mine" })
    const less = widget("shared", "{color: blue}")
    expect(ok("apply --server-side --field-manager=me -f -", less)).toContain("serverside-applied")
    expect(JSON.parse(ok("get widget shared -o json")).spec.note).toBeUndefined()
    // What client-side apply owned goes over to server-side apply.
    expect(ok("apply --server-side -f -", widget("app", "{color: red}"))).toContain("applied")
  })

  stepMore("gets in every form of output", () => {
    expect(ok("get widgets")).toMatch(/^NAME +COLOR +REPLICAS +AGE\n/)
    expect(ok("get wd -o wide")).toMatch(/^NAME +COLOR +REPLICAS +NOTE +AGE\n/)
    expect(ok("get widgets -A")).toMatch(/^NAMESPACE +NAME +COLOR/)
    for (const { form, prints, since = 0 } of outputForms(plane.base)) {
      if (minor >= since) expect(ok(`get widget made -o ${form}`)).toMatch(prints)
    }
    expect(JSON.parse(ok("get widget made -o json")).spec).toEqual({ color: "blue", replicas: 1 })
    expect(ok("get widgets --no-headers")).not.toContain("NAME")
    expect(ok("get widgets --show-labels")).toContain("LABELS")
    expect(ok("get widgets --sort-by=.spec.color")).toMatch(/blue[\s\S]*red/)
    expect(ok("get cm,secrets")).toMatch(/configmap\/one[\s\S]*secret\/hidden/)
    expect(ok("get all")).toMatch(/made +blue/)
    expect(ok("get widgets --chunk-size=1 -o name").trim().split("\n").length).toBeGreaterThan(3)
    expect(ok("get widgets --field-selector=metadata.name=made -o name")).toBe(
      "widget.example.dev/made\n",
    )
    expect(ok("get --raw /readyz")).toBe("ok")
    expect(fails("get nothings")).toContain(`doesn't have a resource type "nothings"`)
  })

  step("describes and explains", () => {
    const described = ok("describe widget made")
    expect(described).toMatch(/Name: +made\nNamespace: +default\n/)
    expect(described).toMatch(/^API Version: +example\.dev\/v1\nKind: +Widget$/m)
    expect(described).toMatch(/^Spec:\n +Color: +blue\n +Replicas: +1\n/m)
    expect(described).toMatch(/^Events: +<none>$/m)
    expect(ok("describe secret hidden")).toMatch(/^Type: +Opaque\n\nData\n=+\npassword: +7 bytes$/m)
    expect(ok("describe ns default")).toMatch(/Status: +Active/)
    const explained = ok("explain widget.spec")
    expect(explained).toMatch(/^KIND: +Widget\nVERSION: +(example\.dev\/)?v1$/m)
    expect(explained).toMatch(/What the widget should be\./)
    expect(explained).toMatch(
      /^ +color\s+<string> -required-\n[\s\S]* +The color of the widget\.$/m,
    )
    expect(ok("explain widget --recursive")).toMatch(
      /^ +spec\s+<Object>[\s\S]*replicas\s+<integer>/m,
    )
    expect(ok("explain configmap.data")).toMatch(/map\[string\]string/)
    expect(ok("explain loop.spec.limits")).toContain("deletes")
  })

  stepMore("edits, replaces and patches in each way", () => {
    const editor = join(plane.base, "editor.sh")
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/color: blue/color: green/" "$1"\n', { mode: 0o755 })
    expect(ok("edit widget made", "", { KUBE_EDITOR: editor, EDITOR: editor })).toBe(
      "widget.example.dev/made edited\n",
    )
    expect(ok("get widget made -o jsonpath={.spec.color}")).toBe("green")
    const live = JSON.parse(ok("get widget made -o json"))
    live.spec.color = "red"
    expect(ok("replace -f -", JSON.stringify(live))).toBe("widget.example.dev/made replaced\n")
    live.spec.color = "blue"
    expect(fails("replace -f -", JSON.stringify(live))).toContain("the object has been modified")
    const merge = `patch widget made --type=merge -p '{"spec":{"note":"merged"}}'`
    expect(ok(merge)).toBe("widget.example.dev/made patched\n")
    expect(ok(merge)).toBe("widget.example.dev/made patched (no change)\n")
    const json = '[{"op":"replace","path":"/spec/note","value":"by json"}]'
    expect(ok(`patch widget made --type=json -p '${json}'`)).toContain("patched")
    const test = '[{"op":"test","path":"/spec/note","value":"other"}]'
    expect(fails(`patch widget made --type=json -p '${test}'`)).toMatch(/invalid/i)
    expect(ok("get widget made -o jsonpath={.spec.note}")).toBe("by json")
    expect(ok(`patch configmap one --type=strategic -p '{"data":{"a":null,"c":"3"}}'`)).toBe(
      "configmap/one patched\n",
    )
    expect(JSON.parse(ok("get cm one -o json")).data).toEqual({ b: "2", c: "3" })
    expect(fails(`patch widget made --type=strategic -p '{"spec":{"note":"x"}}'`)).toMatch(
      /strategic|unsupported|media type/i,
    )
  })

  stepMore("labels, annotates and scales", () => {
    expect(ok("label widget made tier=front")).toMatch(/widget\.example\.dev\/made labeled/)
    expect(fails("label widget made tier=back")).toContain("overwrite")
    expect(ok("label widget made tier=back --overwrite")).toContain("labeled")
    expect(ok("get widgets -l tier=back -o name")).toBe("widget.example.dev/made\n")
    expect(ok("get widgets -l tier!=back -o name")).not.toContain("/made\n")
    expect(ok("label widget made tier-")).toMatch(/unlabeled|labeled/)
    expect(ok("annotate widget made why=because")).toContain("annotated")
    expect(ok("get widget made -o jsonpath={.metadata.annotations.why}")).toBe("because")
    expect(ok("annotate widget made why-")).toContain("annotated")
    expect(ok("get widget made -o jsonpath={.metadata.annotations.why}")).toBe("")
    expect(ok("scale widget made --replicas=5")).toBe("widget.example.dev/made scaled\n")
    expect(ok("get widget made -o jsonpath={.spec.replicas}")).toBe("5")
    expect(fails("scale widget made --replicas=7 --current-replicas=2")).toMatch(
      /expected|replicas/i,
    )
    expect(fails("scale widget made --replicas=200")).toMatch(/should be less than or equal to 100/)
  })

  step("waits for conditions, for values and for the end", async () => {
    const ready = '{"status":{"conditions":[{"type":"Ready","status":"True"}],"phase":"Up"}}'
    if (minor >= 24) {
      const waiting = running(program.path, plane, "wait --for=condition=Ready widget/made")
      ok(`patch widget made --subresource=status --type=merge -p '${ready}'`)
      expect(await waiting).toMatchObject({ code: 0, out: expect.stringContaining("met") })
      expect(ok("wait --for=jsonpath={.status.phase}=Up widget/made --timeout=20s")).toContain(
        "condition met",
      )
    } else {
      const path = "/apis/example.dev/v1/namespaces/default/widgets/made/status"
      const live = { ...JSON.parse(ok("get widget made -o json")), ...JSON.parse(ready) }
      ok(`replace --raw ${path} -f -`, JSON.stringify(live))
      expect(ok("wait --for=condition=Ready widget/made --timeout=20s")).toContain("met")
    }
    expect(fails("wait --for=condition=Never widget/made --timeout=1s")).toContain("timed out")
    ok("apply -f -", widget("short-lived", "{color: red}", ", finalizers: [example.dev/wait]"))
    ok("delete widget short-lived --wait=false")
    const gone = running(program.path, plane, "wait --for=delete widget/short-lived --timeout=60s")
    await pause(1000) // So that it finds the object still there; old versions want that.
    ok(`patch widget short-lived --type=merge -p '{"metadata":{"finalizers":null}}'`)
    expect((await gone).code).toBe(0)
  })

  step("watches: what is there, what changes, what goes", async () => {
    const names = watching(program.path, plane, "get widgets -w -o name")
    const table = watching(program.path, plane, "get widgets -w")
    const events = watching(program.path, plane, "get widgets -w --output-watch-events")
    const watches = [names, table, events]
    const rows = (text: string) =>
      text.split("\n").flatMap((row) => /^.*\bwatched +.*?(?= +\S+$)/.exec(row) ?? [])
    const seen = (what: string, count: number) =>
      waitFor(
        what,
        () =>
          watches.every(({ text }) => (text.match(/watched/g) ?? []).length >= count) ||
          JSON.stringify(watches),
      )
    try {
      const lists = () => watches.every(({ text }) => /\bmade\b/.test(text))
      await waitFor("the lists", () => lists() || JSON.stringify(watches))
      ok("apply -f -", widget("watched", "{color: red}"))
      await seen("the new one", 1)
      ok("apply -f -", widget("watched", "{color: green, replicas: 3}"))
      await seen("its change", 2)
      ok("delete widget watched")
      await seen("its end", 3)
    } finally {
      for (const { end } of watches) end()
    }
    expect(names.text.match(/^.*watched$/gm)).toEqual(Array(3).fill("widget.example.dev/watched"))
    expect(table.text).toMatch(/^NAME +COLOR +REPLICAS +AGE\n/)
    const plain = (text: string) => rows(text).map((row) => row.replaceAll(/ +/g, " "))
    expect(plain(table.text)).toEqual(["watched red 1", "watched green 3", "watched green 3"])
    expect(events.text).toMatch(/^EVENT +NAME +COLOR +REPLICAS +AGE\nADDED +/)
    expect(plain(events.text)).toEqual([
      ...["ADDED watched red 1", "MODIFIED watched green 3", "DELETED watched green 3"],
    ])
  })

  stepMore("shows events", () => {
    const uid = ok("get widget made -o jsonpath={.metadata.uid}")
    const apiVersion = "example.dev/v1"
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "happened", namespace: "default" },
      involvedObject: { kind: "Widget", name: "made", namespace: "default", uid, apiVersion },
      reason: "Painted",
      message: "it is red now",
      type: "Normal",
      firstTimestamp: new Date().toISOString().replace(/\.\d+Z/, "Z"),
      lastTimestamp: new Date().toISOString().replace(/\.\d+Z/, "Z"),
      count: 1,
    }
    ok("create -f -", JSON.stringify(event))
    const listed = ok("get events")
    expect(listed).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/)
    expect(listed).toMatch(/^\S+ +Normal +Painted +widget\/made +it is red now$/m)
    const described = ok("describe widget made")
    expect(described).toMatch(
      /^Events:\n +Type .* Message\n[ -]+\n +Normal +Painted +.* it is red now$/m,
    )
    if (minor < 23) return
    const [head = "", row, ...more] = ok("events --for=widget/made").trim().split("\n")
    expect(head).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/)
    expect(row).toMatch(/^\S+ +Normal +Painted +Widget\/made +it is red now$/)
    expect(more).toEqual([])
  })

  stepMore("deletes with each kind of cascade", async () => {
    /** The dependent is held by a finalizer, so that what waits for it shows. */
    const own = () => {
      ok("apply -f -", widget("owner", "{color: red}"))
      const uid = ok("get widget owner -o jsonpath={.metadata.uid}")
      const named = `apiVersion: example.dev/v1, kind: Widget, name: owner, uid: ${uid}`
      const refs = `ownerReferences: [{${named}, blockOwnerDeletion: true}]`
      ok("apply -f -", widget("owned", "{color: red}", `, finalizers: [example.dev/hold], ${refs}`))
    }
    const metadata = (name: string) => JSON.parse(ok(`get widget ${name} -o json`)).metadata
    const release = () =>
      ok(`patch widget owned --type=merge -p '{"metadata":{"finalizers":null}}'`)
    const isEnding = () => metadata("owned").deletionTimestamp !== undefined || "not yet"
    const isGone = (name: string) => () => kubectl(`get widget ${name}`).code !== 0 || "there"

    own()
    expect(ok("delete widget owner --cascade=background")).toMatch(/"owner" deleted/)
    expect(fails("get widget owner")).toContain('"owner" not found')
    await waitFor("the dependent ends behind it", isEnding)
    release()
    await waitFor("the dependent goes", isGone("owned"))

    own()
    expect(ok("delete widget owner --cascade=foreground --wait=false")).toMatch(/"owner" deleted/)
    await waitFor("the dependent ends before it", isEnding)
    const owner = metadata("owner")
    expect(owner.finalizers).toEqual(["foregroundDeletion"])
    expect(owner.deletionTimestamp).toBeDefined()
    release()
    await waitFor("the owner goes after it", isGone("owner"))
    expect(fails("get widget owned")).toContain('"owned" not found')

    own()
    expect(ok("delete widget owner --cascade=orphan")).toMatch(/"owner" deleted/)
    expect(fails("get widget owner")).toContain('"owner" not found')
    const left = metadata("owned")
    expect([left.ownerReferences, left.deletionTimestamp]).toEqual([undefined, undefined])
    release()
    ok("delete widget owned")
  })

  stepMore("deletes what is there, and says what is not", () => {
    expect(ok("delete widget made --wait=true")).toMatch(/"made" deleted/)
    expect(ok("delete widget made --ignore-not-found")).toBe("")
    expect(fails("delete widget made")).toContain("not found")
    expect(ok("delete cm -l none=such")).toContain("No resources found")
  })

  stepMore("deletes a namespace with all that is in it", () => {
    ok("-n scratch create configmap inside --from-literal=a=1")
    ok("-n scratch apply -f -", widget("inside", "{color: red}"))
    expect(ok("delete namespace scratch --timeout=60s")).toMatch(/"scratch" deleted/)
    expect(fails("get ns scratch")).toContain('namespaces "scratch" not found')
    expect(fails("-n scratch create configmap late --from-literal=a=1")).toContain("not found")
    expect(fails("delete ns default")).toContain("forbidden")
  })

  stepMore("asks who may do what, and who it is", () => {
    expect(ok("auth can-i create widgets").trim()).toBe("yes")
    const as = "--as=system:serviceaccount:default:nobody"
    expect(kubectl(`auth can-i delete widgets ${as}`)).toMatchObject({ code: 1, out: "no\n" })
    expect(fails(`get secrets ${as}`)).toMatch(
      /forbidden: User "system:serviceaccount:default:nobody"/,
    )
    ok("create role reader --verb=get,list --resource=widgets.example.dev")
    ok("create rolebinding read --role=reader --serviceaccount=default:nobody")
    expect(ok(`auth can-i list widgets ${as}`).trim()).toBe("yes")
    expect(ok(`get widgets ${as}`)).toBeDefined()
    expect(ok("auth can-i --list")).toMatch(/Resources/)
    if (minor >= 28) expect(ok("auth whoami")).toMatch(/Groups +\[.*system:masters/)
  })

  step("deletes the definition and all of its objects", () => {
    ok("apply -f -", widget("last", "{color: red}"))
    expect(ok("delete crd widgets.example.dev --timeout=60s")).toContain("deleted")
    expect(fails("get widgets")).toMatch(/doesn't have a resource type|no such kind is defined/)
  })
})
