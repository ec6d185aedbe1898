import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redactSnapshot } from "../../../../snapshots/store/maintain/redact-snapshot.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { locateVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import { readPointer, versionNames } from "../../../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { type OperationKind, REPORTED_KINDS, systemError, watchDisk } from "../../../faults/faulty-disk.ts";
import { FIXTURE_ENTITY_ID, publishedSet, publishFixture, walletOf } from "../../../support/published-set.ts";
import { HIDDEN_LABEL, namingSet, STAYING_ID, WISH } from "../redact-stage.ts";
import { bytesByPath, copyOf, forgeText, replaceFile, sharedRoot } from "../temporary-root.ts";

const { root: published, remove } = sharedRoot();
afterAll(remove);

/** One version that names nobody, then three that name both entities. */
beforeAll(async () => {
  const nobody = publishedSet();
  const details = nobody.details.map((detail) => ({ ...detail, top_entities: [] }));
  await publishFixture(published, { set: { ...nobody, details, listings: [], entities: [] } });
  for (const day of [1, 2, 3]) await publishFixture(published, { set: namingSet(day) });
});

const CHANGES: readonly OperationKind[] = [...REPORTED_KINDS, "create"];

const versionsOf = (root: string) => versionNames(readdirSync(root));

async function expectWhole(root: string): Promise<void> {
  for (const version of versionsOf(root)) {
    expect((await verifySnapshot(root, { version, deep: true })).problems).toEqual([]);
  }
  expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
}

/** Every byte under a root, as text: what is not compressed is seen as it is. */
function everything(root: string): string {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return paths.map((path) => readFileSync(join(path.parentPath, path.name), "latin1")).join("\n");
}

async function expectSilent(root: string): Promise<void> {
  const bytes = everything(root);
  for (const name of [FIXTURE_ENTITY_ID, HIDDEN_LABEL, walletOf(0xfeed)]) expect(bytes).not.toContain(name);
  const reader = await openSnapshot(root);
  const detail = reader.document("dao", "tidewater.example");
  const shown = JSON.parse(detail?.identity.bytes.toString("utf8") ?? "{}");
  expect(shown.data.top_entities.map((entity: { entity_id: string }) => entity.entity_id)).toEqual([
    STAYING_ID,
  ]);
  expect(reader.entityIdOfWallet(walletOf(1))).toBeUndefined();
  // The wallet stays in the ranking, as a bare address: it had a name.
  expect(reader.latestListing("tidewater.example")?.rows[0]?.json).toMatch(
    /^\{"rank":1,"address":"0x0{39}1","display_name":"0x0000…0001",/,
  );
  reader.close();
}

/** A disk whose n-th change fails, and every one after it: what a killed process leaves. */
function dyingDisk(root: string, diesAt: number) {
  let count = 0;
  const disk = watchDisk(root, (kind) => {
    if (CHANGES.includes(kind)) count += 1;
    if (count >= diesAt) throw systemError("EIO", kind);
    return {};
  });
  return { disk, done: () => count };
}

describe("redactSnapshot", () => {
  it("takes an entity out of every version that names it, and leaves numbers and ranks as they are", async () => {
    const root = copyOf(published);
    const before = versionsOf(root).map((version) => locateVersion(root, { version }).manifest);
    const pointer = readPointer(root);
    const daos = readFileSync(join(root, pointer.version, "daos.json"), "utf8");
    const order: string[] = [];
    const result = await redactSnapshot(createSnapshotDisk(root), {
      ...WISH,
      whileReadersFollow: async () => {
        order.push(
          readPointer(root).version,
          ...versionsOf(root).filter((version) => version === pointer.version),
        );
      },
    });
    expect(result.unchanged).toBe(1);
    const isNaming = ({ path }: { readonly path: string }) => path.includes(FIXTURE_ENTITY_ID);
    expect(before.filter(({ files }) => files.some(isNaming))).toHaveLength(3);
    expect(result.versions).toMatchObject([{ version: pointer.version }, {}, {}]);
    for (const { entitiesDropped, filesLinked } of result.versions) {
      expect(entitiesDropped).toBe(1);
      expect(filesLinked).toBeGreaterThan(5);
    }
    const after = readPointer(root);
    expect(after.sequence).toBe(pointer.sequence + 1);
    expect(after.published_at).toBe(pointer.published_at);
    // While readers follow, the pointer has moved and the old version is still there.
    expect(order).toEqual([after.version, pointer.version]);
    expect(versionsOf(root)).toHaveLength(before.length);
    const { manifest } = locateVersion(root);
    expect([manifest.redacted, manifest.replaces]).toEqual([true, pointer.version]);
    expect(readFileSync(join(root, after.version, "daos.json"), "utf8")).toBe(daos);
    const run = JSON.parse(readFileSync(join(root, after.version, "run.json"), "utf8"));
    expect(run.counts.entities_published).toBe(1);
    await expectSilent(root);
    await expectWhole(root);
  });

  it("does nothing a second time, and nothing at all where it only says what it would do", async () => {
    const root = copyOf(published);
    const untouched = bytesByPath(root);
    const dry = await redactSnapshot(createSnapshotDisk(root), { ...WISH, isDryRun: true });
    expect(dry.versions.map((version) => version.replacedBy)).toEqual([undefined, undefined, undefined]);
    expect(bytesByPath(root)).toEqual(untouched);
    await redactSnapshot(createSnapshotDisk(root), WISH);
    const redacted = bytesByPath(root);
    expect(await redactSnapshot(createSnapshotDisk(root), WISH)).toEqual({
      versions: [],
      unchanged: 4,
      unredacted: [],
    });
    expect(bytesByPath(root)).toEqual(redacted);
  });

  it("takes out what only the registry knows: a wallet and a name that no version calls an entity's", async () => {
    const root = copyOf(published);
    const known = [
      { entityId: `ent_${"1".repeat(26)}`, label: "DELEGATE-81.example", wallets: [walletOf(41)] },
    ];
    await redactSnapshot(createSnapshotDisk(root), { ...WISH, isHidden: () => false, known });
    const bytes = everything(root);
    expect(bytes).not.toContain("delegate-81.example");
    expect(bytes).not.toContain("delegate-41.example");
    expect(bytes).toContain("delegate-121.example");
    expect(bytes).toContain(HIDDEN_LABEL);
    await expectWhole(root);
  });

  it("leaves a readable root wherever it is cut off, and the next call finishes", async () => {
    const whole = copyOf(published);
    const { disk, done } = dyingDisk(whole, Number.POSITIVE_INFINITY);
    await redactSnapshot(disk, WISH);
    const steps = done();
    expect(steps).toBeGreaterThan(100);
    // Every rename decides something; between two of them any instant is like any other.
    for (let diesAt = 1; diesAt <= steps; diesAt += diesAt > steps - 12 ? 1 : 43) {
      const root = copyOf(published);
      await expect(redactSnapshot(dyingDisk(root, diesAt).disk, WISH)).rejects.toThrow(/could not/);
      expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
      await redactSnapshot(createSnapshotDisk(root), WISH);
      expect(versionsOf(root), `cut off at ${diesAt}`).toEqual(versionsOf(whole));
      await expectSilent(root);
      expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
    }
  });

  /** Damages a file of one version alone, whatever it shares. */
  function damageFile(root: string, version: string, path: string): void {
    const bytes = readFileSync(join(root, version, path));
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    replaceFile(join(root, version, path), bytes);
  }
  const entityFile = `entities/${FIXTURE_ENTITY_ID}.json`;

  it.each([
    { why: "its entity", places: [1], harm: entityFile },
    { why: "a file that names nobody", places: [1], harm: "dgi-history.json" },
    { why: "its manifest, by which nothing is known", places: [2], harm: "manifest.json" },
    { why: "a file that two of them share", places: [1, 2], harm: "dgi-history.json" },
    { why: "the current one's, while the others go", places: [3], harm: "daos.json" },
    { why: "the oldest, that names nobody as far as anyone can tell", places: [0], harm: "run.json" },
  ])(
    "redacts every other version where $why is damaged, and tells which are left",
    async ({ places, harm }) => {
      const root = copyOf(published);
      const names = versionsOf(root);
      const pointer = readPointer(root);
      const damaged = places.map((index) => names[index] ?? "");
      for (const version of damaged) damageFile(root, version, harm);
      const untouched = bytesByPath(root);
      const dry = await redactSnapshot(createSnapshotDisk(root), { ...WISH, isDryRun: true });
      expect(bytesByPath(root)).toEqual(untouched);
      const result = await redactSnapshot(createSnapshotDisk(root), WISH);
      expect(dry.unredacted).toEqual(result.unredacted);
      expect(result.unredacted).toEqual(
        damaged.map((version) => ({
          version,
          isCurrent: version === pointer.version,
          message: expect.stringContaining(harm),
        })),
      );
      expect(result.versions.length + result.unchanged + damaged.length).toBe(names.length);
      // What is left in the place of all others names nobody, and the damaged are as they were.
      for (const version of damaged) {
        expect(bytesByPath(join(root, version)).get(harm)).toBe(untouched.get(`${version}/${harm}`));
      }
      const others = versionsOf(root).filter((version) => !damaged.includes(version));
      expect(others).toHaveLength(names.length - damaged.length);
      for (const version of others) {
        expect(everything(join(root, version))).not.toContain(FIXTURE_ENTITY_ID);
        expect((await verifySnapshot(root, { version, deep: true })).problems).toEqual([]);
      }
      // Once they are deleted there is nothing left to do.
      if (damaged.includes(pointer.version)) return;
      for (const version of damaged) rmSync(join(root, version), { recursive: true });
      const again = await redactSnapshot(createSnapshotDisk(root), WISH);
      expect(again).toEqual({ versions: [], unchanged: names.length - damaged.length, unredacted: [] });
      await expectSilent(root);
    },
  );

  it("leaves a version that would still name somebody, and says where", async () => {
    const root = copyOf(published);
    const finding = JSON.stringify({ code: "NOTED", space_id: null, message: `of ${FIXTURE_ENTITY_ID}` });
    forgeText(root, "run.json", '"findings":[]', `"findings":[${finding}]`);
    const { version } = readPointer(root);
    const { versions, unredacted } = await redactSnapshot(createSnapshotDisk(root), WISH);
    const message = "run.json: would still name an entity that opted out";
    expect(unredacted).toEqual([{ version, isCurrent: true, message }]);
    expect(versions).toHaveLength(2);
  });

  it("has the current version out of the way before it fails at another", async () => {
    const root = copyOf(published);
    const pointer = readPointer(root);
    const real = createSnapshotDisk(root);
    const disk = {
      ...real,
      rename: (from: string, to: string) =>
        from.startsWith(".staging-redacted-")
          ? Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }))
          : real.rename(from, to),
    };
    await expect(redactSnapshot(disk, WISH)).rejects.toMatchObject({ code: "PUBLISH_FAILED" });
    expect(readPointer(root).sequence).toBe(pointer.sequence + 1);
    expect(versionsOf(root)).not.toContain(pointer.version);
    await redactSnapshot(real, WISH);
    await expectSilent(root);
  });
});
