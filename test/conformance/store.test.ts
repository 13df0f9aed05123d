// The store conformance suite for every engine that a plane or a simulation can use.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SimDisk } from "../../src/sim/disk.ts"
import { openDataDirectory } from "../../src/store/engines/data-directory.ts"
import { MemoryEngine } from "../../src/store/engines/memory-engine.ts"
import { LogEngine } from "../../src/store/engines/testing/log-engine.ts"
import { openStoreOn } from "../../src/store/open-memory-store.ts"
import { type StoreSetup, type StoreUnderTest, storeConformance } from "./store.ts"

async function openMemory(
  setup: StoreSetup,
  engine = new MemoryEngine(),
  planeId = "plane-under-test",
): Promise<StoreUnderTest> {
  const store = await openStoreOn(engine, { ...setup, planeId })
  return {
    store,
    async reopen() {
      await store.close()
      return openMemory(setup, engine, planeId)
    },
    dispose: () => store.close(),
  }
}

async function openSimulated(setup: StoreSetup, disk = new SimDisk()): Promise<StoreUnderTest> {
  const planeId = "plane-under-test"
  const store = await openStoreOn(new LogEngine(disk.open()), { ...setup, planeId })
  return {
    store,
    async reopen() {
      await store.close()
      disk.crash() // A close must not be what makes things durable.
      return openSimulated(setup, disk)
    },
    dispose: () => store.close(),
  }
}

async function openSqlite(
  setup: StoreSetup,
  directory = mkdtempSync(join(tmpdir(), "setpoint-store-")),
): Promise<StoreUnderTest> {
  const opened = await openDataDirectory({ ...setup, directory })
  return {
    store: opened.store,
    async reopen() {
      await opened.close()
      return openSqlite(setup, directory)
    },
    async dispose() {
      await opened.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

storeConformance("memory", (setup) => openMemory(setup))
storeConformance("simulated disk", (setup) => openSimulated(setup))
// Opening a directory starts a thread and syncs a disk: fewer random histories.
storeConformance("sqlite", (setup) => openSqlite(setup), 6)
