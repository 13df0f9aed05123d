// Conditions of a whole plane: stops, its queue, its disk, its store.

import { type ChildProcess, spawn } from "node:child_process"
import { statfsSync } from "node:fs"
import type { MountKeeper } from "../plane/mount-keeper.ts"
import type { PlaneRig } from "../plane/plane-rig.ts"
import type { Condition } from "./condition.ts"
import { knobCondition, LoopRig } from "./loop-conditions.ts"

/** Something new to store, each time. */
function writer(rig: PlaneRig): () => void {
  let count = 0
  return () => rig.declare("one", `${"x".repeat(2000)} ${count++}\n`)
}

export function stopCondition(rig: PlaneRig): Condition {
  return {
    ...{ alerts: ["SetpointStopped"], rig },
    cause: async () => void (await rig.call("POST", "stop", { reason: "a test" })),
    undo: async () => void (await rig.call("POST", "resume", {})),
  }
}

/** More reads hang than there are workers. */
export async function queueCondition(rig: PlaneRig): Promise<Condition> {
  const loop = new LoopRig(rig, "queue")
  await loop.make({})
  loop.knobs(40, "")
  await loop.converged(40)
  const condition = knobCondition(loop, ["SetpointQueueGrowing"], "hang")
  const { loop: _, ...whole } = condition
  return whole
}

/** Its size is a limit that can be moved: what lies on it stays. */
export function diskCondition(rig: PlaneRig, disk: MountKeeper): Condition {
  const resize = (size: string) => disk.run("mount", "-o", `remount,size=${size}`, rig.data)
  return {
    ...{ alerts: ["SetpointDiskLow"], rig },
    cause: () => void resize("200m"),
    undo: () => void resize("2g"),
  }
}

export function fullCondition(rig: PlaneRig, disk: MountKeeper): Condition {
  const resize = (size: string) => disk.run("mount", "-o", `remount,size=${size}`, rig.data)
  return {
    ...{ alerts: ["SetpointStoreFailing"], rig },
    cause: () => {
      const { blocks, bfree, bsize } = statfsSync(disk.inside(rig.data))
      resize(String((blocks - bfree) * bsize + 16_384))
    },
    undo: () => void resize("2g"),
    poke: writer(rig),
  }
}

/** Every sync of the disk takes long. */
export function slowCondition(rig: PlaneRig): Condition {
  let tracer: ChildProcess | undefined
  return {
    ...{ alerts: ["SetpointStoreSlow"], rig },
    cause: () => {
      const calls = "fsync,fdatasync"
      const slow = `inject=${calls}:delay_enter=700000`
      const args = ["-f", "-qq", "-p", String(rig.pid), "-e", `trace=${calls}`, "-e", slow]
      tracer = spawn("strace", [...args, "-o", "/dev/null"], { stdio: "ignore" })
    },
    undo: async () => {
      const ended = new Promise((resolve) => tracer?.once("close", resolve))
      tracer?.kill("SIGINT")
      await ended
    },
    poke: writer(rig),
  }
}
