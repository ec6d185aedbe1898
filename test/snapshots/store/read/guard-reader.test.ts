import { expect, it } from "vitest";
import type { DenyList } from "../../../../snapshots/optouts/deny-list.ts";
import { guardReader } from "../../../../snapshots/store/read/guard-reader.ts";
import { openSnapshot } from "../../../../snapshots/store/read/open-snapshot.ts";
import type { SnapshotReader } from "../../../../snapshots/store/read/snapshot-reader.ts";
import { FIXTURE_ENTITY_ID, publishFixture, walletOf } from "../../../support/published-set.ts";
import { namingSet } from "../redact-stage.ts";
import { temporaryRoot } from "../temporary-root.ts";

const UNKNOWN_ID = "ent_99999999999999999999999999";

const denying = (...ids: string[]): DenyList => ({ count: ids.length, has: (id) => ids.includes(id) });

async function withFixture(check: (reader: SnapshotReader) => void): Promise<void> {
  const root = temporaryRoot();
  await publishFixture(root, { set: namingSet(0) });
  const reader = await openSnapshot(root);
  try {
    check(reader);
  } finally {
    reader.close();
  }
}

it("answers for an opted-out entity and its wallets what it answers for unknown ones", () =>
  withFixture((reader) => {
    const shown = guardReader(reader, denying(FIXTURE_ENTITY_ID));
    expect(reader.document("entity", FIXTURE_ENTITY_ID)).toBeDefined();
    expect(shown.document("entity", FIXTURE_ENTITY_ID)).toEqual(shown.document("entity", UNKNOWN_ID));
    expect(reader.entityIdOfWallet(walletOf(1))).toBe(FIXTURE_ENTITY_ID);
    expect(shown.entityIdOfWallet(walletOf(1))).toEqual(shown.entityIdOfWallet(walletOf(0xfade)));
  }));

it("answers for every other entity as before", () =>
  withFixture((reader) => {
    const shown = guardReader(reader, denying(FIXTURE_ENTITY_ID));
    const others = reader.entityIds().filter((id) => id !== FIXTURE_ENTITY_ID);
    expect(others.length).toBeGreaterThan(0);
    for (const id of others) expect(shown.document("entity", id)).toEqual(reader.document("entity", id));
  }));

it("is the reader itself where the version names nobody on the list", () =>
  withFixture((reader) => expect(guardReader(reader, denying(UNKNOWN_ID))).toBe(reader)));
