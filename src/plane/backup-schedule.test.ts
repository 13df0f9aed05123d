import { describe, expect, it } from "vitest"
import { SimClock } from "../sim/sim-clock.ts"
import { type BackupFile, BackupSchedule } from "./backup-schedule.ts"

const hour = 3_600_000

class Files {
  readonly directory = "/backups"
  all: BackupFile[] = []
  trouble: string | undefined
  revision = 1
  made = 0

  async list() {
    return this.all
  }

  async make(at: string) {
    if (this.trouble !== undefined) throw new Error(this.trouble)
    this.made++
    const file = `/backups/${this.made}`
    const made = { file, at, revision: this.revision, bytes: 1 }
    this.all = [...this.all, made]
    return made
  }

  async remove({ file }: BackupFile) {
    this.all = this.all.filter((one) => one.file !== file)
  }

  names = () => this.all.map(({ file }) => file.slice("/backups/".length)).join(" ")
}

function rig(keep = 3) {
  const clock = new SimClock()
  const files = new Files()
  const told: string[] = []
  const ports = {
    ...{ clock, files, revision: () => files.revision },
    told: (message: string, good: boolean) => void told.push(`${good ? "good" : "bad"} ${message}`),
  }
  const open = () => new BackupSchedule(ports, { everyMs: 6 * hour, keep })
  return { clock, files, told, open }
}

async function hours(clock: SimClock, files: Files, count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) {
    files.revision++
    await clock.advance(hour)
  }
}

describe("scheduled backups", () => {
  it("are made on time, and the oldest goes only when a newer good one is there", async () => {
    const { clock, files, open } = rig()
    const schedule = open()
    await schedule.start()
    await hours(clock, files, 31)
    expect(files.names()).toBe("4 5 6")
    expect(schedule.status().last?.file).toBe("/backups/6")
    await schedule.close()
    await hours(clock, files, 12)
    expect(files.made).toBe(6)
  })

  it("that fail are told once, cost no older one, and are tried again soon", async () => {
    const { clock, files, told, open } = rig()
    const schedule = open()
    await schedule.start()
    await hours(clock, files, 19)
    expect(files.names()).toBe("2 3 4")
    files.trouble = "the disk is full"
    await hours(clock, files, 48)
    expect(files.names()).toBe("2 3 4")
    expect(told).toEqual(["bad cannot finish: the disk is full"])
    expect(schedule.status().failure?.message).toContain("the disk is full")
    expect(schedule.status().last?.file).toBe("/backups/4")
    files.trouble = undefined
    await hours(clock, files, 1)
    expect(files.names()).toBe("3 4 5")
    expect(told.at(-1)).toBe("good backups are good again: /backups/5")
    expect(schedule.status().failure).toBeNull()
    await schedule.close()
  })

  it("are not made again while nothing changes", async () => {
    const { clock, files, open } = rig()
    const schedule = open()
    await schedule.start()
    await clock.advance(100 * hour)
    expect(files.made).toBe(1)
    await schedule.close()
  })

  it("go on after a restart where they were", async () => {
    const { clock, files, open } = rig()
    const first = open()
    await first.start()
    await hours(clock, files, 1)
    await first.close()
    const second = open()
    await second.start()
    expect(second.status().last?.file).toBe("/backups/1")
    await hours(clock, files, 4)
    expect(files.made).toBe(1)
    await hours(clock, files, 2)
    expect(files.made).toBe(2)
    await second.close()
  })
})
