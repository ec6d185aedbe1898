import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { topEntitiesOf } from "../../../../snapshots/format/entity.ts";
import { openOptOutStore } from "../../../../snapshots/optouts/opt-out-store.ts";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { runProxyCommand } from "../../../support/run-in-process.ts";
import { AS_OF, LEAF, makeStands, type Stand } from "../stand.ts";

let stands: Awaited<ReturnType<typeof makeStands>>;
beforeAll(async () => {
  stands = await makeStands();
});

const listOf = (stand: Stand) => join(stand.home, "optouts.db");
const publishAgain = (stand: Stand, ...more: string[]) =>
  stand.govdata(["publish", "--as-of", AS_OF, ...more]);
const entitiesOf = (stand: Stand) => readVersion(stand.snapshots).set.entities.map((each) => each.entity_id);
const onList = (stand: Stand, work: (book: ReturnType<typeof openOptOutStore>) => void) => {
  const book = openOptOutStore(listOf(stand));
  work(book);
  book.close();
};

describe("live opt-outs", () => {
  it("begin with an empty list that the first publish makes, for its owner alone", () => {
    const stand = stands.published();
    expect(statSync(listOf(stand)).mode & 0o777).toBe(0o600);
    onList(stand, (book) => expect(book.rows()).toEqual([]));
  });

  it("keep an entity out of what is published next, and let it back in", async () => {
    const stand = stands.published();
    const [first = ""] = entitiesOf(stand);
    const proxy = (...args: string[]) =>
      runProxyCommand(["--snapshots", stand.snapshots, "--optouts", listOf(stand), "optout", ...args]);
    expect((await proxy("add", first)).code).toBe(0);
    expect((await proxy("add", first)).stderr).toContain("already");
    expect((await proxy("list")).stdout).toContain(first);
    expect((await publishAgain(stand)).code).toBe(0);
    expect(entitiesOf(stand)).not.toContain(first);
    expect((await proxy("list")).stdout).not.toContain(first);
    expect((await proxy("add", "ent_short")).code).toBe(2);
    expect((await proxy("remove", first)).code).toBe(0);
    const refused = await publishAgain(stand);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("OPT_OUTS_FELL")]);
    expect((await publishAgain(stand, "--allow", "opt-outs")).code).toBe(0);
    expect(entitiesOf(stand)).toContain(first);
  });

  it.each([
    { why: "gone", harm: (path: string) => rmSync(path), code: "OPT_OUTS_MISSING" },
    {
      why: "no list any more",
      harm: (path: string) => writeFileSync(path, "?"),
      code: "OPT_OUTS_UNREADABLE",
    },
  ])("publish nobody while the list is $why, make no other, and say so", async ({ harm, code }) => {
    const stand = stands.published();
    renameSync(listOf(stand), `${listOf(stand)}.kept`);
    if (code === "OPT_OUTS_UNREADABLE") writeFileSync(listOf(stand), "");
    else writeFileSync(listOf(stand), "x");
    harm(listOf(stand));
    const end = await publishAgain(stand);
    expect([end.code, end.stderr]).toEqual([0, expect.stringContaining("no entity is published")]);
    const { set } = readVersion(stand.snapshots);
    expect(set.entities).toEqual([]);
    expect(set.details.flatMap((detail) => detail.top_entities)).toEqual([]);
    const current = JSON.parse(readFileSync(join(stand.snapshots, "current.json"), "utf8")).version;
    expect(readFileSync(join(stand.snapshots, current, "run.json"), "utf8")).toContain(code);
    const redact = await stand.govdata(["redact"]);
    expect([redact.code, redact.stderr]).toEqual([1, expect.stringContaining("HOME_INVALID")]);
    await stand.govdata(["init"]);
    rmSync(listOf(stand), { force: true });
    renameSync(`${listOf(stand)}.kept`, listOf(stand));
    expect((await publishAgain(stand)).code).toBe(0);
    expect(entitiesOf(stand).length).toBeGreaterThan(0);
  });

  it("are what `entity opt-out` writes and `redact` takes out of kept versions", async () => {
    const stand = stands.published();
    const [first = ""] = entitiesOf(stand);
    const optedOut = await stand.govdata(["--json", "entity", "opt-out", first]);
    expect(JSON.parse(optedOut.stdout)).toMatchObject({ isChanged: true, isLive: true });
    onList(stand, (book) => expect(book.has(first)).toBe(true));
    const dry = await stand.govdata(["redact", "--dry-run"]);
    expect(dry.stdout).toContain("1 versions would be redacted");
    expect(entitiesOf(stand)).toContain(first);
    const versionsOf = () => readdirSync(stand.snapshots).filter((name) => name.startsWith("2"));
    const waits: [waitMs: number, versions: number][] = [];
    const pause = async (waitMs: number) => void waits.push([waitMs, versionsOf().length]);
    expect((await stand.govdata(["redact"], { pause })).code).toBe(0);
    expect(waits, "readers follow while both versions are there").toEqual([[3000, 2]]);
    expect(entitiesOf(stand)).not.toContain(first);
    expect(versionsOf()).toHaveLength(1);
    expect((await stand.govdata(["verify", "--deep"])).code).toBe(0);
    const undone = await stand.govdata(["--json", "entity", "opt-out", first, "--undo"]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ isChanged: true, isLive: true });
    onList(stand, (book) => expect(book.has(first)).toBe(false));
    // Nothing comes back by itself.
    expect(entitiesOf(stand)).not.toContain(first);
  });

  it("say of a damaged version that it may name somebody still, and what to do until it does not", async () => {
    const stand = stands.published();
    const [first = ""] = entitiesOf(stand);
    const [version = ""] = readdirSync(stand.snapshots).filter((name) => name.startsWith("2"));
    writeFileSync(join(stand.snapshots, version, "risk", `${LEAF}.json`), "?");
    onList(stand, (book) => book.add(first, 1));
    const onCurrent = await stand.govdata(["redact"]);
    expect(onCurrent.code).toBe(1);
    for (const said of [`${version} (current): risk/${LEAF}.json`, "`govdata publish`, then"]) {
      expect(onCurrent.stdout).toContain(said);
    }
    expect((await publishAgain(stand)).code).toBe(0);
    const onOld = await stand.govdata(["redact"]);
    expect([onOld.code, onOld.stdout]).toEqual([
      1,
      expect.stringContaining(`  ${version}: risk/${LEAF}.json`),
    ]);
    rmSync(join(stand.snapshots, version), { recursive: true });
    expect((await stand.govdata(["redact"])).code).toBe(0);
  });

  it("are obeyed by `show` at once, though the version still names the entity", async () => {
    const stand = stands.published();
    const shown = async (...args: string[]) => (await stand.govdata(["--json", "show", ...args])).stdout;
    const [first = ""] = JSON.parse(await shown("dao", LEAF)).top_entities.map(
      (each: { entity_id: string }) => each.entity_id,
    );
    const [wallet = ""] = JSON.parse(await shown("entity", first)).wallets;
    onList(stand, (book) => book.add(first, 1));
    for (const name of [first, wallet]) {
      const end = await stand.govdata(["show", "entity", name]);
      expect([end.code, end.stdout]).toEqual([1, ""]);
    }
    const dao = await shown("dao", LEAF);
    expect([JSON.parse(dao).space_id, dao.includes(first)]).toEqual([LEAF, false]);
  });

  it("can be filled up: the strongest entities of a DAO follow from the published entities alone", () => {
    const { set } = readVersion(stands.published().snapshots);
    const rebuilt = topEntitiesOf(set.entities);
    expect(set.details.some((detail) => detail.top_entities.length > 1)).toBe(true);
    for (const { space_id, top_entities } of set.details)
      expect(rebuilt.get(space_id) ?? []).toEqual(top_entities);
  });

  it("must not lie among what is given to anyone", async () => {
    const stand = stands.published();
    const end = await stand.govdata(["--optouts", join(stand.snapshots, "o.db"), "status"]);
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining("--optouts must not be")]);
  });
});
