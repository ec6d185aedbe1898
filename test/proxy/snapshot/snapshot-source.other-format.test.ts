import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { replaceFile, temporaryRoot } from "../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../support/published-set.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createTestProxy } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const URL = "/v1/daos/tidewater.example/delegates?date=2026-03-29";

describe("a version of a format that this program does not serve", () => {
  it.each([
    { why: "an older one", format: FORMAT_VERSION - 1 },
    { why: "a newer one", format: FORMAT_VERSION + 1 },
  ])("leaves the last one served, and says so until the next ($why)", async ({ format }) => {
    const root = temporaryRoot();
    await publishFixture(root);
    const proxy = await createTestProxy({ folder, published: root });
    onTestFinished(proxy.close);
    const ask = async () => {
      const { status, headers, body } = await proxy.ask(URL, { key: proxy.keys.pro });
      return { status, etag: headers["etag"], version: headers["x-snapshot-version"], body };
    };
    const readiness = async () => JSON.parse((await proxy.ask("/readyz")).body);
    const before = await ask();
    expect(before.status).toBe(200);
    const pointer = readFileSync(join(root, "current.json"));
    const other = pointer.toString().replace(`"format":${FORMAT_VERSION}`, `"format":${format}`);
    expect(other).not.toBe(pointer.toString());
    replaceFile(join(root, "current.json"), other);
    await proxy.poll();
    expect(await ask()).toEqual(before);
    expect(await readiness()).toMatchObject({ status: "degraded", reason: "SNAPSHOT_FORMAT_UNKNOWN" });
    replaceFile(join(root, "current.json"), pointer);
    await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 25 * 3_600_000 });
    await proxy.poll();
    expect(await readiness()).toMatchObject({ status: "ready" });
    expect((await ask()).body).toBe(before.body);
  });
});
