import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { copyOf, currentDirectory, sharedRoot } from "../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../support/published-set.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createTestProxy } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const shared = sharedRoot();
const DATE = "2026-03-29";
const FILE = "delegates/tidewater.example/2026-03.ndjson";
const URL = "/v1/daos/tidewater.example/delegates";

beforeAll(async () => {
  await publishFixture(shared.root);
  return () => shared.remove();
});

async function setUp() {
  const root = copyOf(shared.root);
  const proxy = await createTestProxy({ folder, published: root });
  onTestFinished(proxy.close);
  const ask = async (url: string) => (await proxy.ask(url, { key: proxy.keys.pro })).status;
  const readiness = async () => JSON.parse((await proxy.ask("/readyz")).body);
  return { root, proxy, ask, readiness, file: join(currentDirectory(root), FILE) };
}

describe("a listing of a past day that was damaged", () => {
  it.each([
    {
      why: "its line was changed",
      damage: (file: string) => {
        // The first line of its month.
        writeFileSync(file, readFileSync(file, "utf8").replace('"rank":1,', '"rank":2,'));
      },
      ofNextDay: 200,
    },
    { why: "its month was deleted", damage: (file: string) => rmSync(file), ofNextDay: 500 },
  ])("is our failure once, then refused and charged, until the next version ($why)", async (row) => {
    const { damage, ofNextDay } = row;
    const { root, proxy, ask, readiness, file } = await setUp();
    damage(file);
    expect(await ask(`${URL}?date=${DATE}`)).toBe(500);
    expect(proxy.usedBy("pro")).toBe(0);
    for (const more of ["", "&limit=20", "&tier=T1"])
      expect(await ask(`${URL}?date=${DATE}${more}`)).toBe(404);
    expect(proxy.usedBy("pro")).toBe(3);
    expect([await ask(URL), await ask(`${URL}?date=2026-03-30`)]).toEqual([200, ofNextDay]);
    await proxy.poll();
    await proxy.poll();
    expect(await readiness()).toMatchObject({ status: "degraded", reason: "SNAPSHOT_INVALID" });
    expect(await readiness()).not.toHaveProperty("refused_version");
    await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 25 * 3_600_000 });
    await proxy.poll();
    expect(await readiness()).toMatchObject({ status: "ready" });
    expect(await ask(`${URL}?date=${DATE}`)).toBe(200);
  });
});
