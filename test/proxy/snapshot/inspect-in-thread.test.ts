import { generateKeyPairSync } from "node:crypto";
import { truncateSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { inspectInThread } from "../../../proxy/snapshot/inspect-in-thread.ts";
import { parseTrustedKeys } from "../../../snapshots/store/read/manifest-signature.ts";
import {
  type InspectVersion,
  inspectVersion,
  openSnapshot,
} from "../../../snapshots/store/read/open-snapshot.ts";
import { copyOf, currentDirectory, sharedRoot } from "../../snapshots/store/temporary-root.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { publishFixture } from "../../support/published-set.ts";

const SOURCE = resolve(import.meta.dirname, "../../../proxy/snapshot/inspect-in-thread.ts");
let root: string;
/** The compiled one, which starts a thread; as it is written it works in this one. */
let compiled: InspectVersion;

beforeAll(async () => {
  const shared = sharedRoot();
  root = shared.root;
  await publishFixture(root);
  compiled = ((await import(compileCopy(SOURCE))) as { inspectInThread: InspectVersion }).inspectInThread;
  return () => shared.remove();
});

const stranger = () => {
  const { publicKey } = generateKeyPairSync("ed25519");
  return parseTrustedKeys(publicKey.export({ format: "der", type: "spki" }).toString("base64"));
};

describe("a version looked at in a thread of its own", () => {
  it("is found to be what it is found to be here, and can be opened by that", async () => {
    const here = await inspectVersion(root, {});
    expect(await compiled(root, {})).toEqual(here);
    expect(await inspectInThread(root, { version: here.version })).toEqual(here);
    const reader = await openSnapshot(root, {}, compiled);
    expect(reader.datedListing("tidewater.example", "2026-03-29")?.totalDelegates).toBe(300);
    expect(reader.entityIds()).toEqual(["ent_0000000000000000000lantern"]);
    reader.close();
  });

  it.each([
    { why: "an older pointer than was seen", choice: { sequenceMin: 2 } },
    { why: "a version that is not there", choice: { version: "20200101T000000Z-00000000" } },
    { why: "a signature that is missing", choice: { trustedKeys: stranger() } },
  ])("is refused with the same words: $why", async ({ choice }) => {
    const refusal = await inspectVersion(root, choice).catch((error: unknown) => error);
    expect(refusal).toHaveProperty("name", "Failure");
    const { code, message, path } = refusal as { code: string; message: string; path: string | undefined };
    await expect(compiled(root, choice)).rejects.toMatchObject({ code, message, path });
  });

  it("is refused by what it was found to be, where its index is another by the time it is opened", async () => {
    const copy = copyOf(root);
    const inspection = await inspectVersion(copy, {});
    truncateSync(join(currentDirectory(copy), "index.sqlite"), 8192);
    await expect(openSnapshot(copy, {}, async () => inspection)).rejects.toMatchObject({
      code: "SNAPSHOT_INVALID",
      path: "index.sqlite",
    });
  });
});
