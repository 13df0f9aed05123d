// The commands that talk to a plane, as a person sees them: whole outputs, against a real plane.

import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fileManifest, toldBy } from "./cli-client-rig.ts"
import { CliRig, type Finished } from "./cli-server-rig.ts"
import { waitFor } from "./plane/wait-for.ts"

let rig: CliRig

const told = (finished: Finished) => toldBy(rig, finished)
const manifest = (name: string, content: string) => fileManifest(rig, name, content)
const run = async (...args: string[]) => told(await rig.run(...args))

function declare(name: string, content: string): void {
  writeFileSync(rig.path("site", `${name}.yaml`), manifest(name, content))
}

async function until(args: readonly string[], pattern: RegExp): Promise<void> {
  await waitFor(`${args.join(" ")} says ${pattern}`, async () => {
    const { stdout } = await rig.run(...args)
    return pattern.test(stdout) ? true : stdout
  })
}

beforeAll(async () => {
  rig = new CliRig()
  for (const folder of ["site", "out"]) mkdirSync(rig.path(folder))
  for (const name of ["a", "b", "c", "d"]) declare(name, `text of ${name}`)
  declare("app", "one\ntwo\nthree")
  writeFileSync(rig.path("out", "app"), "one\n2\nthree\n")
  await rig.start("up", "site").said(/as declared after/)
})

afterAll(() => rig.close())

describe("looking", () => {
  it("lists objects with the columns of their kind, under any name of the kind", async () => {
    const table = await run("get", "files")
    expect(table).toMatchInlineSnapshot(`
      "NAME   READY   REASON      PATH                          AGE
      a      True    Converged   DIR/out/a     AGE
      app    False   Adopt       DIR/out/app   AGE
      b      True    Converged   DIR/out/b     AGE
      c      True    Converged   DIR/out/c     AGE
      d      True    Converged   DIR/out/d     AGE
      exit 0"
    `)
    for (const name of ["file", "File", "files.host.setpoint.dev"]) {
      expect(await run("get", name)).toBe(table)
    }
    expect(await run("get", "file/a", "-o", "name")).toMatchInlineSnapshot(`
      "file.host.setpoint.dev/a
      exit 0"
    `)
    expect(await run("get", "file", "nope")).toMatchInlineSnapshot(`
      "error: cannot find files.host.setpoint.dev nope in namespace default [SPT-CLI-01
        ↪ 0]
      hint:  \`setpoint get files.host.setpoint.dev -A\` lists all of them
      exit 1"
    `)
    // The end of the list is not asked for: it grows with the kinds that come with Setpoint.
    const unknown = (await run("get", "gadgets")).replaceAll("\n  ↪ ", "")
    expect(unknown).toMatch(/^error: cannot use the kind gadgets: no such kind is served /)
    expect(unknown).toMatch(
      /\nhint: {2}there are namespaces, configmaps, secrets, .*, loops, plans, /,
    )
    expect(unknown).toMatch(/, files, directories, users, [a-z, ]+\nexit 1$/)
  })

  it("gives the same as JSON and YAML", async () => {
    const json = await rig.run("get", "file", "a", "-o", "json")
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "File", metadata: { name: "a" } })
    const yaml = await rig.run("get", "file", "a", "-o", "yaml")
    expect(yaml.stdout).toContain("\nkind: File\n")
    const list = await rig.run("get", "files", "-l", "setpoint.dev/loop=default.site", "-o", "json")
    expect(JSON.parse(list.stdout).items).toHaveLength(5)
    const none = await rig.run("get", "files", "-l", "x=y")
    expect([none.stdout, none.stderr]).toEqual(["", "none found in namespace default\n"])
  })

  it("describes one object", async () => {
    expect(await run("describe", "file", "a")).toMatchInlineSnapshot(`
      "Name:           a
      Namespace:      default
      Kind:           File (host.setpoint.dev/v1)
      Declared at:    site/a.yaml:1
      Labels:         setpoint.dev/loop=default.site
      Target:         file:DIR/out/a
      Ours:           true
      Generation:     1
      Made:           TIME (AGE   ago)
      Spec:
        path: DIR/out/a
        content: |
          text of a
        mode: "0644"
      Conditions:
        TYPE    STATUS   REASON      SINCE   MESSAGE
        Ready   True     Converged   AGE   as declared
      Events:
        <none>
      exit 0"
    `)
  })

  it("explains what is as declared and what is not", async () => {
    expect(await run("explain", "file/a")).toMatchInlineSnapshot(`
      "File a is as declared.
        It keeps file:DIR/out/a, which is ours.
        It is declared at site/a.yaml:1, since revision HASH12.
        Loop default.site is in mode Enforce: it keeps it so within its limits.

      Why it is as it is:
        created at TIME: declared in site/a.yaml:1 (by setpoint-source/default.site)
      exit 0"
    `)
    expect(await run("explain", "file", "app")).toMatchInlineSnapshot(`
      "File app is not as declared: 1 field differs.
        It keeps file:DIR/out/app.
        It is declared at site/app.yaml:1, since revision HASH12.
        Loop default.site is in mode Enforce: it keeps it so within its limits.

      Why it is held:
        its adopt is held in plan PLAN-1: file:DIR/out/app exists, differs and was not
        ↪  made by Setpoint

      Why it does not converge:
        Conflict, for AGE

      What differs:
        ~ content:                                      # exists and is not ours
              one
            - 2
            + two
              three

      What to do:
        - look with \`setpoint plans PLAN-1\`, then \`setpoint approve PLAN-1\` or reject 
        ↪ it
        - \`setpoint adopt file app\` takes charge of it
      exit 0"
    `)
  })

  it("compares what is declared, applied and observed", async () => {
    expect(await run("diff", "file", "app")).toMatchInlineSnapshot(`
      "File app  file:DIR/out/app
      FIELD     WHY     DECLARED              APPLIED   OBSERVED
      content   adopt   "one\\ntwo\\nthree\\n"   (none)    "one\\n2\\nthree\\n"

      ~ content, observed -> declared:
            one
          - 2
          + two
            three
      exit 2"
    `)
    expect(await run("diff", "file", "a")).toMatchInlineSnapshot(`
      "no differences: file:DIR/out/a is as declared
      exit 0"
    `)
  })

  it("shows the plan that waits, with every field", async () => {
    expect(await run("plans")).toMatchInlineSnapshot(`
      "NAME              LOOP           PHASE     ACTIONS   AGE   EXPIRES   WHY
      PLAN-1   default.site   Pending   1 adopt   AGE   in 6d     file:DIR/out/app exi
        ↪ sts, differs and was not made by Setpoint
      exit 0"
    `)
    const { stdout } = await rig.run("plans", "-o", "json")
    const [{ name }] = JSON.parse(stdout).plans
    expect(await run("plans", name)).toMatchInlineSnapshot(`
      "plan PLAN-1  Pending: 1 adopt
        loop:     default.site
        made:     TIME
        held:     file:DIR/out/app exists, differs and was not made by Setpoint
        hint:     look at \`setpoint diff\`, then \`setpoint adopt\` it or declare spec.ad
        ↪ opt: true
        needs:    1 person
        expires:  TIME
        hash:     HASH

      = adopt File app  file:DIR/out/app  HASH12  # it exists, is not ours and differs
        ↪  in content
          ~ content:                                    # exists and is not ours
                one
              - 2
              + two
                three

      to decide: setpoint approve PLAN-1, or setpoint reject PLAN-1
      exit 0"
    `)
    expect(await run("plan")).toMatchInlineSnapshot(`
      "loop default.site  Enforce, DIR/site

      = adopt File app  file:DIR/out/app  [held]
          ~ content:                                    # exists and is not ours; decl
        ↪ ared at site/app.yaml:6
                one
              - 2
              + two
                three

      1 held: file:DIR/out/app exists, differs and was not made by Setpoint [Adopt]
        plan:  PLAN-1 (setpoint plans PLAN-1)
        hint:  look at \`setpoint diff\`, then \`setpoint adopt\` it or declare spec.adopt
        ↪ : true

      plan: 1 to adopt (1 held); 4 as declared
      exit 3"
    `)
    expect(await run("approve", name)).toContain("exit 1")
  })
})

describe("changing", () => {
  it("applies all of a file or nothing, and says where it is wrong", async () => {
    const good = manifest("api", "by hand")
    writeFileSync(rig.path("bad.yaml"), `${good}---\n${manifest("worse", "x")}  bogus: 3\n`)
    expect(await run("apply", "-f", "bad.yaml")).toMatchInlineSnapshot(`
      "bad.yaml:16:10: error: File in version "v1" cannot be handled as a File: strict 
        ↪ decoding error: unknown field "spec.bogus" [SPT-API-007]
        hint: correct their names, or remove them
      nothing was written: 1 issue
      exit 1"
    `)
    expect((await rig.run("get", "file", "api")).code).toBe(1)
    writeFileSync(rig.path("good.yaml"), good)
    expect(await run("diff", "-f", "good.yaml")).toMatchInlineSnapshot(`
      "+ File api
          + spec.path: "DIR/out/api"
          + spec.content: "by hand\\n"
          + spec.mode: "0644"
      exit 2"
    `)
    expect(await run("apply", "-f", "good.yaml", "--dry-run")).toMatchInlineSnapshot(`
      "file.host.setpoint.dev/api created (dry run)
      exit 0"
    `)
    expect(await run("apply", "-f", "good.yaml")).toMatchInlineSnapshot(`
      "file.host.setpoint.dev/api created
      exit 0"
    `)
    expect(await run("apply", "-f", "good.yaml")).toMatchInlineSnapshot(`
      "file.host.setpoint.dev/api unchanged
      exit 0"
    `)
    await until(["get", "file", "api"], /Converged/)
    expect(await run("delete", "file", "api")).toMatchInlineSnapshot(`
      "file.host.setpoint.dev/api deleted
      exit 0"
    `)
  })

  it("refuses to delete what a source declares, and names the line", async () => {
    expect(await run("delete", "file", "a")).toMatchInlineSnapshot(`
      "file.host.setpoint.dev/a: error: cannot delete files.host.setpoint.dev a: it is 
        ↪ declared at site/a.yaml:1 by setpoint-source/default.site [SPT-API-016]
        hint: change it there, or remove it from that source; \`setpoint stop LOOP\` sto
        ↪ ps acting while you look
      exit 1"
    `)
  })

  it("takes charge of what was there on request, and remembers who asked", async () => {
    expect(await run("adopt", "file", "app")).toMatchInlineSnapshot(`
      "File app is ours now
      exit 0"
    `)
    await until(["get", "file", "app"], /Converged/)
    await until(["history", "file", "app"], / as declared: files\/app/) // Told within a second.
    const history = (await run("history", "file", "app")).split("\n")
    const acts = history.filter((line) => !line.includes("as declared: files/app"))
    expect(acts.join("\n")).toMatchInlineSnapshot(`
      "TIME  default.site  adopted File app (file:DIR/out/app) (N ms)
          cause: adopt: it exists, is not ours and differs in content (by USER, revisi
        ↪ on HASH12)
          ~ content:                                    # was not ours
                one
              - 2
              + two
                three
      exit 0"
    `)
  })

  it("holds too many deletes, and performs exactly what was shown when approved", async () => {
    for (const name of ["a", "b", "c"]) rmSync(rig.path("site", `${name}.yaml`))
    await until(["plans"], /3 deletes/)
    expect(await run("plan")).toMatchInlineSnapshot(`
      "loop default.site  Enforce, DIR/site

      - delete File a  file:DIR/out/a  [held]  # no longer in the source (setpoint-sou
        ↪ rce/default.site)
      - delete File b  file:DIR/out/b  [held]  # no longer in the source (setpoint-sou
        ↪ rce/default.site)
      - delete File c  file:DIR/out/c  [held]  # no longer in the source (setpoint-sou
        ↪ rce/default.site)

      3 held: 3 of 5 targets would be deleted; 1 may be now (limit 1 per 10 min, 0 use
        ↪ d) [DeleteLimit]
        plan:  PLAN-1 (setpoint plans PLAN-1)
        hint:  look at the plan; approve it, or restore what was removed

      plan: 3 to delete (3 held); 2 as declared
      exit 3"
    `)
    const [first] = JSON.parse((await rig.run("plans", "-o", "json")).stdout).plans
    const wrong = await rig.run("approve", first.name, "--hash", "0".repeat(64))
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("SPT-PLAN-003")])
    const done = await rig.run("approve", first.name, "--hash", first.hash)
    expect(told(done)).toMatchInlineSnapshot(`
      "plan PLAN-1  Pending: 3 deletes
        loop:     default.site
        made:     TIME
        held:     3 of 5 targets would be deleted; 1 may be now (limit 1 per 10 min, 0
        ↪  used)
        hint:     look at the plan; approve it, or restore what was removed
        held:     the source declares 2 objects; it declared 5 before
        hint:     check that all of it is there; approve the plan if it is meant
        needs:    1 person
        expires:  TIME
        hash:     HASH

      - delete File a  file:DIR/out/a  HASH12  # no longer in the source (setpoint-sou
        ↪ rce/default.site)
      - delete File b  file:DIR/out/b  HASH12  # no longer in the source (setpoint-sou
        ↪ rce/default.site)
      - delete File c  file:DIR/out/c  HASH12  # no longer in the source (setpoint-sou
        ↪ rce/default.site)
      plan PLAN-1 is Done (3 of 3 done)
      exit 0"
    `)
    await until(["get", "files", "-o", "name"], /^file.host.setpoint.dev\/app\n.*\/d\n$/)
    expect(await run("plan")).toMatchInlineSnapshot(`
      "nothing to do: 2 of 2 objects are as declared
      exit 0"
    `)
  })

  it("answers a held delete with its plan and how to approve it, and takes a no", async () => {
    for (const name of ["x", "y", "z"]) {
      writeFileSync(rig.path(`${name}.yaml`), manifest(name, name))
      await rig.run("apply", "-f", `${name}.yaml`)
    }
    await until(["get", "files"], /z +True/)
    const held = await run("delete", "files", "-l", "setpoint.dev/loop=default.default")
    const [first, ...rest] = held.split("\n")
    expect(first).toBe("files held: nothing was deleted")
    expect(rest.join("")).toContain("3 of 3 targets would be")
    expect(rest.join("")).toContain("(limit 1 per 10 min, 1 used)")
    expect(rest.slice(-3)).toEqual([
      "  plan:    PLAN-1",
      "  approve: setpoint approve PLAN-1",
      "exit 3",
    ])
    const plans = JSON.parse((await rig.run("plans", "-o", "json")).stdout).plans
    expect(await run("reject", plans[0].name)).toMatchInlineSnapshot(`
      "plan PLAN-1 is Rejected: 3 deletes will not be done
      it is not asked again until the declaration changes
      exit 0"
    `)
  })

  it("tells what happened as events, once per round", async () => {
    writeFileSync(rig.path("out", "d"), "drift\n")
    await until(["events"], /DriftCorrected/)
    const { stdout } = await rig.run("events", "-o", "json")
    const reasons = JSON.parse(stdout).items.map((event: { reason: string }) => event.reason)
    expect(reasons).toEqual(expect.arrayContaining(["Applied", "PlanHeld", "PlanDone"]))
    expect(reasons.filter((reason: string) => reason === "DriftCorrected")).toHaveLength(1)
    expect((await rig.run("events", "--for", "file/d")).stdout).toContain("corrected content")
  })

  it("makes a new provider once", async () => {
    expect(await run("new", "provider", "sample-zone")).toMatchInlineSnapshot(`
      "wrote sample-zone/sample-zone.ts
      wrote sample-zone/sample-zone.test.ts
      wrote sample-zone/README.md
      wrote sample-zone/BRIEF.md
      wrote sample-zone/package.json
      wrote sample-zone/tsconfig.json

      next: cd sample-zone && npm install && npm test
      exit 0"
    `)
    expect(await run("new", "provider", "sample-zone")).toMatchInlineSnapshot(`
      "error: cannot write sample-zone/sample-zone.ts: it exists [SPT-CLI-013]
      hint:  choose another folder with --dir; nothing was written
      exit 1"
    `)
    expect(await run("new", "provider", "No")).toContain("SPT-PROV-006")
  })
})
