// Faults of what is desired, each with its twin.

import { describe, expect } from "vitest"
import { at, type JsonObject } from "../../src/base/json.ts"
import { preview } from "../../src/plane/preview.ts"
import { SimSource } from "../../src/sim/sim-plane.ts"
import { ann, loops, names, Site, widget, widgets } from "../sim/site.ts"
import { folderSite, manifestText } from "./folder-site.ts"
import { linked, linkedWidget } from "./linked-widgets.ts"
import { prove } from "./prove.ts"
import { siteWith } from "./site-with.ts"
import { wide } from "./wide.ts"

const all = (count: number) => names(count).map((name) => widget(name))

async function sourceOf(site: Site, id = "default.site"): Promise<string> {
  const { loops: found } = await site.status()
  const loop = Array.isArray(found) ? found.find((one) => at(one, "id") === id) : undefined
  return JSON.stringify(at(loop, "source"))
}

describe("desired state", () => {
  prove("D01", "source-error-is-not-empty", async (must) => {
    const site = await Site.open({ loop: wide })
    await site.declare(all(20))
    site.sim.source.fail("connection refused")
    await site.clock.advance(20 * 60_000)
    await must(() => expect(site.there()).toHaveLength(20))
    await must(async () => expect(await sourceOf(site)).toContain("connection refused"))
  })

  prove("D01", "folder-error-is-not-empty", async (must) => {
    const { site, files, write } = await folderSite({ loop: wide })
    for (const name of names(5)) await write(name)
    await site.look()
    expect(site.there()).toHaveLength(5)
    await files.rename("/site", "/away")
    await site.look(10 * 60_000)
    await must(() => expect(site.there()).toHaveLength(5))
    await must(async () => expect(await sourceOf(site)).toContain("unreadable"))
  })

  prove("D02", "broken-file-fails-the-source", async (must) => {
    const { site, write } = await folderSite({ loop: wide })
    for (const name of names(5)) await write(name)
    await site.look()
    expect(site.there()).toHaveLength(5)
    await write("w3", "<!DOCTYPE html><html><body>please log in</body></html>")
    await site.look(60_000)
    await must(() => expect(site.there()).toHaveLength(5))
    await must(async () => expect(await sourceOf(site)).toContain("w3.yaml"))
  })

  prove("D03", "emptying-holds", async (must) => {
    const site = await Site.open({ loop: { ...wide, onEmpty: "Hold" } })
    await site.declare(all(20))
    await site.declare([])
    await must(() => expect(site.there()).toHaveLength(20))
    await must(() => expect(site.pending().held).toHaveLength(20))
    await site.approve()
    expect(site.there()).toEqual([])
  })

  prove("D03", "replaced-folder-is-doubt", async (must) => {
    const { site, files, write } = await folderSite({ loop: wide })
    for (const name of names(5)) await write(name)
    await site.look()
    expect(site.there()).toHaveLength(5)
    // What a mount point looks like without its mount.
    await files.rename("/site", "/away")
    await files.mkdir("/site", 0o755)
    await site.look(10 * 60_000)
    await must(() => expect(site.there()).toHaveLength(5))
    await must(async () => expect(await sourceOf(site)).toContain("unreadable"))
  })

  prove("D03", "source-shrunk", async (must) => {
    const limits = { ...wide.limits, shrinkPercent: 50 }
    const site = await Site.open({ loop: { ...wide, limits, onEmpty: "Hold" } })
    await site.declare(all(20))
    await site.declare(all(6))
    await must(() => expect(site.there()).toHaveLength(20))
    await must(() => expect(site.pending().held).toHaveLength(14))
  })

  prove("D06", "folder-stands-still", async (must) => {
    let goOn = async () => {}
    const { site, files, write } = await folderSite({ loop: wide }, (folder) => ({
      ...bound(folder),
      read: async (path, max) => {
        await goOn()
        return folder.read(path, max)
      },
    }))
    for (const name of names(6)) await write(name)
    await site.look()
    expect(site.there()).toHaveLength(6)
    // A checkout takes half of the files away, and puts them back while the others are read.
    for (const name of names(6).slice(3)) await files.unlink(`/site/${name}.yaml`)
    await write("w0", `${manifestText("w0")}# changed\n`)
    goOn = async () => {
      goOn = async () => {}
      for (const name of names(6).slice(3)) await write(name)
    }
    await site.look(60_000)
    const gone = site.world.ledger.filter(({ verb }) => verb === "deleted")
    await must(() => expect(gone).toEqual([]))
  })

  prove("D07", "whole-revision-or-nothing", async (must) => {
    const site = await Site.open({ loop: wide })
    await site.declare(all(5))
    await site.declare([...all(3), widget("bad", { size: "large" }), widget("good")], 60_000)
    await must(() => expect(site.there()).toEqual(names(5)))
    await must(async () => expect(await sourceOf(site)).toContain("invalid"))
  })

  prove("D08", "duplicates-are-refused", async (must) => {
    const { site, write } = await folderSite()
    for (const name of names(3)) await write(name)
    await site.look()
    await write("copy", manifestText("w1").replace("red", "blue"))
    await site.look(60_000)
    await must(async () => expect(await sourceOf(site)).toMatch(/copy\.yaml.*w1\.yaml/))
    await must(() => expect(site.world.find("w1")[0]?.value.color).toBe("red"))
  })

  prove("D09", "removed-field-is-removed", async (must) => {
    const site = await Site.open({ loop: wide })
    await site.declare([...all(10), widget("a", { tags: ["x", "y"] })])
    expect(site.world.find("a")[0]?.value.tags).toEqual(["x", "y"])
    await site.declare([...all(10), widget("a")])
    await must(() => expect(site.world.find("a")[0]?.value.tags ?? []).toEqual([]))
    const before = site.mutations
    await site.look()
    await must(() => expect(site.mutations).toBe(before))
  })

  prove("D11", "empty-selector-is-not-all", async (must) => {
    const site = await Site.open({ source: false, loop: wide })
    for (const name of names(4)) await site.create(widget(name))
    await site.clock.advance(3000)
    const options = { namespace: "default", labelSelector: "" }
    const asked = site.run(site.as(ann).deleteCollection(widgets, options)).catch(() => undefined)
    await asked
    await site.clock.advance(5000)
    await must(() => expect(site.there()).toHaveLength(4))
    await site.run(site.as(ann).deleteCollection(widgets, { namespace: "default" }))
    await site.clock.advance(5000)
    expect(site.there()).toEqual([])
  })

  prove("D11", "unclear-choice-refused", async (must) => {
    const site = await Site.open()
    await site.declare(all(40))
    await site.declare(all(20))
    const plan = site.pending()
    for (const body of [{ actions: "abc" }, { actions: null }, { decision: "Reject" }]) {
      await site.run(site.approval(plan, body)).catch(() => undefined)
      await site.clock.advance(5000)
      await must(() => expect(site.there()).toHaveLength(40))
    }
  })

  prove("D11", "empty-name-lifts-nothing", async (must) => {
    const site = await Site.open()
    await site.declare(all(2))
    const post = (verb: string, body: JsonObject) =>
      site.run(site.as(ann).call("POST", `/setpoint/v1/${verb}`, body)).catch(() => undefined)
    await post("stop", {})
    await post("resume", { loop: "" })
    await post("resume", { provider: "" })
    const before = site.mutations
    await site.declare(all(4), 10_000)
    await must(() => expect(site.mutations).toBe(before))
    await post("resume", {})
    await site.clock.advance(10_000)
    expect(site.there()).toHaveLength(4)
  })

  prove("D12", "one-source-per-object", async (must) => {
    const site = new Site()
    const other = new SimSource()
    site.sim.wrapSource = (source) => (source.description.endsWith("/other") ? other : source)
    await site.sim.start()
    await site.makeLoop()
    await site.declare([widget("a")])
    const spec = { mode: "Enforce", source: { directory: { path: "/other" } } }
    const metadata = { name: "other", namespace: "default" }
    const loop = { apiVersion: "setpoint.dev/v1alpha1", kind: "Loop", metadata, spec }
    other.declare([widget("a", { tags: ["other"] })])
    await site.run(site.as(ann).create(loops, loop))
    await site.clock.advance(60_000)
    await must(() => expect(site.world.find("a")[0]?.value.tags ?? []).toEqual([]))
    await must(async () => expect(await sourceOf(site, "default.other")).toContain("default.site"))
  })

  prove("D13", "definition-in-use-stays", async (must) => {
    const site = await Site.open()
    await site.declare(all(3))
    const definition = {
      group: "apiextensions.k8s.io",
      version: "v1",
      resource: "customresourcedefinitions",
      namespace: "",
      name: "widgets.sim.setpoint.dev",
    }
    await must(async () =>
      expect(await site.refused(site.as(ann).delete(definition))).toContain("3 of its objects"),
    )
    await must(async () => expect(await site.objects()).toHaveLength(3))
  })

  prove("D15", "unlisted-folder-is-not-empty", async (must) => {
    let refuse = false
    const { site, files, write } = await folderSite({ loop: wide }, (folder) => ({
      ...bound(folder),
      list: async (path) => {
        if (refuse && path.endsWith("/more")) throw new Error("input/output error")
        return folder.list(path)
      },
    }))
    await files.mkdir("/site/more", 0o755)
    for (const name of ["a", "b"]) await write(name)
    for (const name of ["c", "d", "e"]) await write(`more/${name}`, manifestText(name))
    await site.look()
    expect(site.there()).toHaveLength(5)
    refuse = true
    await site.look(60_000)
    await must(() => expect(site.there()).toHaveLength(5))
    await must(async () => expect(await sourceOf(site)).toContain("unreadable"))
  })

  prove("D16", "circles-are-refused", async (must) => {
    const site = await siteWith({ kind: linked })
    const chain = [widget("root"), linkedWidget("a", "root")]
    await site.declare(chain)
    expect(site.world.find("a")[0]?.value.color).toBe("red")
    const circle = [linkedWidget("x", "y"), linkedWidget("y", "z"), linkedWidget("z", "x")]
    await site.declare([...chain, ...circle, widget("other")], 60_000)
    await must(async () => expect(await sourceOf(site)).toMatch(/default\/x.*\/y.*\/z.*\/x/))
    await must(async () => expect(await site.objects()).toHaveLength(2))
    const { ports } = site.sim.plane
    const planned = preview({}, { ...ports, stops: () => [] })
    await must(async () => expect(await site.run(planned)).toMatchObject({ kind: "refused" }))
    await site.create(linkedWidget("left", "right"))
    await must(async () => {
      const metadata = { name: "right", namespace: "default" }
      const right = { ...linkedWidget("right", "left"), metadata }
      const refusal = await site.refused(site.as(ann).create(widgets, right))
      expect(refusal).toMatch(/default\/right -> .*default\/left -> .*default\/right/)
    })
  })

  prove("D17", "repointed-source-releases", async (must) => {
    const site = new Site({ loop: wide })
    const staging = new SimSource()
    site.sim.wrapSource = (source) => (source.description.endsWith("/staging") ? staging : source)
    staging.description = "directory /staging"
    staging.declare([widget("staging")])
    await site.sim.start()
    await site.makeLoop()
    await site.declare(all(5))
    const spec = { source: { directory: { path: "/staging" } } }
    const ref = { ...loops, namespace: "default", name: "site" }
    await site.run(site.as(ann).patch(ref, "merge", { spec }))
    await site.clock.advance(60_000)
    await must(() => expect(site.there()).toEqual(["staging", ...names(5)]))
  })
})

/** The methods of a class as a plain value, so that one can be replaced. */
function bound<T extends Parameters<NonNullable<Parameters<typeof folderSite>[1]>>[0]>(files: T) {
  return {
    lstat: files.lstat.bind(files),
    lstatMany: files.lstatMany.bind(files),
    list: files.list.bind(files),
    read: files.read.bind(files),
    watch: files.watch.bind(files),
  }
}
