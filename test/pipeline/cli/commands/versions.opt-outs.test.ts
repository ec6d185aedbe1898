import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { topEntitiesOf } from "../../../../snapshots/format/entity.ts";
import { openOptOutStore } from "../../../../snapshots/optouts/opt-out-store.ts";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { editFile } from "../../../support/journey/stage.ts";
import { runProxyCommand } from "../../../support/run-in-process.ts";
import { AS_OF, LEAF, makeStands, type Stand } from "../stand.ts";

const stands = await makeStands();

const listOf = (setup: Stand) => join(setup.home, "optouts.db");
const publishAgain = (setup: Stand, ...more: string[]) =>
  setup.govdata(["publish", "--as-of", AS_OF, ...more]);
const entitiesOf = (setup: Stand) =>
  readVersion(setup.snapshots).set.entities.map((entity) => entity.entity_id);
const onList = (setup: Stand, work: (store: ReturnType<typeof openOptOutStore>) => void) => {
  const store = openOptOutStore(listOf(setup));
  work(store);
  store.close();
};

describe("live opt-outs", () => {
  it("keep an entity out of what is published next, and let it back in", async () => {
    const setup = stands.published();
    expect(statSync(listOf(setup)).mode & 0o777, "the first publish made it").toBe(0o600);
    onList(setup, (store) => expect(store.rows()).toEqual([]));
    const [first = ""] = entitiesOf(setup);
    const proxy = (...args: string[]) =>
      runProxyCommand(["--snapshots", setup.snapshots, "--optouts", listOf(setup), "optout", ...args]);
    expect((await proxy("add", first)).code).toBe(0);
    expect((await proxy("add", first)).stderr).toContain("already");
    expect((await proxy("list")).stdout).toContain(first);
    expect((await publishAgain(setup)).code).toBe(0);
    expect(entitiesOf(setup)).not.toContain(first);
    expect((await proxy("list")).stdout).not.toContain(first);
    expect((await proxy("add", "ent_short")).code).toBe(2);
    expect((await proxy("remove", first)).code).toBe(0);
    const refused = await publishAgain(setup);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("OPT_OUTS_FELL")]);
    expect((await publishAgain(setup, "--allow", "opt-outs")).code).toBe(0);
    expect(entitiesOf(setup)).toContain(first);
  });

  it.each([
    { why: "lost", code: "OPT_OUTS_MISSING" },
    { why: "damaged", code: "OPT_OUTS_UNREADABLE", text: "?" },
  ])("keep every entity unpublished while the list is $why, and create no other", async ({ text, code }) => {
    const setup = stands.published();
    renameSync(listOf(setup), `${listOf(setup)}.kept`);
    if (text !== undefined) writeFileSync(listOf(setup), text);
    const end = await publishAgain(setup);
    expect([end.code, end.stderr]).toEqual([0, expect.stringContaining("no entity is published")]);
    const { set } = readVersion(setup.snapshots);
    expect(set.entities).toEqual([]);
    expect(set.details.flatMap((detail) => detail.top_entities)).toEqual([]);
    const current = JSON.parse(readFileSync(join(setup.snapshots, "current.json"), "utf8")).version;
    expect(readFileSync(join(setup.snapshots, current, "run.json"), "utf8")).toContain(code);
    const redact = await setup.govdata(["redact"]);
    expect([redact.code, redact.stderr]).toEqual([1, expect.stringContaining("HOME_INVALID")]);
    await setup.govdata(["init"]);
    rmSync(listOf(setup), { force: true });
    renameSync(`${listOf(setup)}.kept`, listOf(setup));
    expect((await publishAgain(setup)).code).toBe(0);
    expect(entitiesOf(setup).length).toBeGreaterThan(0);
  });

  it("are compared with those before the list was lost", async () => {
    const setup = stands.published();
    editFile(setup.home, "state.json", (text) => text.replace(/(?<="live_opt_outs": )0/, "3"));
    renameSync(listOf(setup), `${listOf(setup)}.kept`);
    expect((await publishAgain(setup)).code).toBe(0);
    renameSync(`${listOf(setup)}.kept`, listOf(setup));
    const refused = await publishAgain(setup);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("OPT_OUTS_FELL")]);
  });

  it("are what `entity opt-out` writes and `redact` takes out of kept versions", async () => {
    const setup = stands.published();
    const [first = ""] = entitiesOf(setup);
    const optedOut = await setup.govdata(["--json", "entity", "opt-out", first]);
    expect(JSON.parse(optedOut.stdout)).toMatchObject({ isChanged: true, isLive: true });
    onList(setup, (store) => expect(store.has(first)).toBe(true));
    const dry = await setup.govdata(["redact", "--dry-run"]);
    expect(dry.stdout).toContain("1 versions would be redacted");
    expect(entitiesOf(setup)).toContain(first);
    const versionsOf = () => readdirSync(setup.snapshots).filter((name) => name.startsWith("2"));
    const waits: [waitMs: number, versions: number][] = [];
    const pause = async (waitMs: number) => void waits.push([waitMs, versionsOf().length]);
    expect((await setup.govdata(["redact"], { pause })).code).toBe(0);
    expect(waits, "readers follow while both versions are there").toEqual([[3000, 2]]);
    expect(entitiesOf(setup)).not.toContain(first);
    expect(versionsOf()).toHaveLength(1);
    expect((await setup.govdata(["verify", "--deep"])).code).toBe(0);
    const undone = await setup.govdata(["--json", "entity", "opt-out", first, "--undo"]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ isChanged: true, isLive: true });
    onList(setup, (store) => expect(store.has(first)).toBe(false));
    // Nothing comes back by itself.
    expect(entitiesOf(setup)).not.toContain(first);
  });

  it("say of a damaged version that it may name somebody still, and what to do until it does not", async () => {
    const setup = stands.published();
    const [first = ""] = entitiesOf(setup);
    const [version = ""] = readdirSync(setup.snapshots).filter((name) => name.startsWith("2"));
    writeFileSync(join(setup.snapshots, version, "risk", `${LEAF}.json`), "?");
    onList(setup, (store) => store.add(first, 1));
    const onCurrent = await setup.govdata(["redact"]);
    expect(onCurrent.code).toBe(1);
    for (const said of [`${version} (current): risk/${LEAF}.json`, "`govdata publish`, then"]) {
      expect(onCurrent.stdout).toContain(said);
    }
    expect((await publishAgain(setup)).code).toBe(0);
    const onOld = await setup.govdata(["redact"]);
    expect([onOld.code, onOld.stdout]).toEqual([
      1,
      expect.stringContaining(`  ${version}: risk/${LEAF}.json`),
    ]);
    rmSync(join(setup.snapshots, version), { recursive: true });
    expect((await setup.govdata(["redact"])).code).toBe(0);
  });

  it("are obeyed by `show` at once, though the version still names the entity", async () => {
    const setup = stands.published();
    const shown = async (...args: string[]) => (await setup.govdata(["--json", "show", ...args])).stdout;
    const [first = ""] = JSON.parse(await shown("dao", LEAF)).top_entities.map(
      (entity: { entity_id: string }) => entity.entity_id,
    );
    const [wallet = ""] = JSON.parse(await shown("entity", first)).wallets;
    onList(setup, (store) => store.add(first, 1));
    for (const name of [first, wallet]) {
      const end = await setup.govdata(["show", "entity", name]);
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
});
