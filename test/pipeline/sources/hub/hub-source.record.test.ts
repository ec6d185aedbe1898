import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createArchiveSource } from "../../../../pipeline/sources/archive/archive-source.ts";
import type { HubObject } from "../../../../pipeline/sources/hub/hub-reading.ts";
import {
  closedProposal,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { dao, factsOf } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../../warehouse/warehouse-home.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
let directory: string;
let home: WarehouseHome;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "recorded-"));
  home = createWarehouseHome();
});
afterEach(() => {
  home.remove();
  rmSync(directory, { recursive: true, force: true });
});

const FILES = { space: "spaces", proposal: "proposals", vote: "votes" } as const;

it("what a full fetch records replays from an archive to the same facts and rejections", async () => {
  const { store } = stage.hub();
  store.putSpace(sampleSpace({ filters: { onlyMembers: false, minScore: "many" } }));
  stage.putCrowded();
  const odd = closedProposal("0x2", { type: "weighted", privacy: "shutter" });
  const changes = [
    { choice: { "1": 2 }, reason: "so" },
    { choice: "0xab" },
    { vp: -1 },
    { choice: { "2": 1 }, voter: `0x${"4a".repeat(31)}` },
  ];
  putWithVotes(
    store,
    odd,
    changes.map((change, n) => voteOn(odd, n + 1, change)),
  );
  const author = `0x${"4a".repeat(31)}`;
  store.putProposal(closedProposal("0x3", { scores_state: "pending", flagged: true, author }));

  const objects: HubObject[] = [];
  const record = await stage.fetch({ pageSize: 400, isFull: true, record: (object) => objects.push(object) });
  for (const [kind, folder] of Object.entries(FILES)) {
    const lines = objects.filter((one) => one.kind === kind).map(({ object }) => JSON.stringify(object));
    mkdirSync(join(directory, folder));
    const file = `${SPACE_ID}.${kind === "space" ? "json" : "ndjson"}`;
    writeFileSync(join(directory, folder, file), `${lines.join("\n")}\n`);
  }

  const replayed = home.open();
  const attempt = { spaceId: SPACE_ID, sourceId: "archive", fetchedAtMs: record.fetchedAtMs };
  const fetch = replayed.beginSpaceFetch(attempt);
  await createArchiveSource({ directory }).fetchSpace({ ...dao(SPACE_ID), governor: undefined }, fetch);
  expect({ ...fetch.commit(), sourceId: "snapshot-hub" }).toEqual(record);
  expect({ ...factsOf(replayed, SPACE_ID), isArchive: false }).toEqual(stage.facts());
});
