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

const listOf = (workspace: Stand) => join(workspace.home, "optouts.db");
const publishAgain = (workspace: Stand, ...more: string[]) =>
  workspace.govdata(["publish", "--as-of", AS_OF, ...more]);
const entitiesOf = (workspace: Stand) =>
  readVersion(workspace.snapshots).set.entities.map((entity) => entity.entity_id);
const onList = (workspace: Stand, work: (book: ReturnType<typeof openOptOutStore>) => void) => {
  const book = openOptOutStore(listOf(workspace));
  work(book);
  book.close();
};

describe("live opt-outs", () => {
  it("begin with an empty list that the first publish makes, for its owner alone", () => {
    const workspace = stands.published();
    expect(statSync(listOf(workspace)).mode & 0o777).toBe(0o600);
    onList(workspace, (book) => expect(book.rows()).toEqual([]));
  });

  it("keep an entity out of what is published next, and let it back in", async () => {
    const workspace = stands.published();
    const [first = ""] = entitiesOf(workspace);
    const proxy = (...args: string[]) =>
      runProxyCommand([
        "--snapshots",
        workspace.snapshots,
        "--optouts",
        listOf(workspace),
        "optout",
        ...args,
      ]);
    expect((await proxy("add", first)).code).toBe(0);
    expect((await proxy("add", first)).stderr).toContain("already");
    expect((await proxy("list")).stdout).toContain(first);
    expect((await publishAgain(workspace)).code).toBe(0);
    expect(entitiesOf(workspace)).not.toContain(first);
    expect((await proxy("list")).stdout).not.toContain(first);
    expect((await proxy("add", "ent_short")).code).toBe(2);
    expect((await proxy("remove", first)).code).toBe(0);
    const refused = await publishAgain(workspace);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("OPT_OUTS_FELL")]);
    expect((await publishAgain(workspace, "--allow", "opt-outs")).code).toBe(0);
    expect(entitiesOf(workspace)).toContain(first);
  });

  it.each([
    { why: "gone", harm: (path: string) => rmSync(path), code: "OPT_OUTS_MISSING" },
    {
      why: "no list any more",
      harm: (path: string) => writeFileSync(path, "?"),
      code: "OPT_OUTS_UNREADABLE",
    },
  ])("publish nobody while the list is $why, make no other, and say so", async ({ harm, code }) => {
    const workspace = stands.published();
    renameSync(listOf(workspace), `${listOf(workspace)}.kept`);
    if (code === "OPT_OUTS_UNREADABLE") writeFileSync(listOf(workspace), "");
    else writeFileSync(listOf(workspace), "x");
    harm(listOf(workspace));
    const end = await publishAgain(workspace);
    expect([end.code, end.stderr]).toEqual([0, expect.stringContaining("no entity is published")]);
    const { set } = readVersion(workspace.snapshots);
    expect(set.entities).toEqual([]);
    expect(set.details.flatMap((detail) => detail.top_entities)).toEqual([]);
    const current = JSON.parse(readFileSync(join(workspace.snapshots, "current.json"), "utf8")).version;
    expect(readFileSync(join(workspace.snapshots, current, "run.json"), "utf8")).toContain(code);
    const redact = await workspace.govdata(["redact"]);
    expect([redact.code, redact.stderr]).toEqual([1, expect.stringContaining("HOME_INVALID")]);
    await workspace.govdata(["init"]);
    rmSync(listOf(workspace), { force: true });
    renameSync(`${listOf(workspace)}.kept`, listOf(workspace));
    expect((await publishAgain(workspace)).code).toBe(0);
    expect(entitiesOf(workspace).length).toBeGreaterThan(0);
  });

  it("are what `entity opt-out` writes and `redact` takes out of kept versions", async () => {
    const workspace = stands.published();
    const [first = ""] = entitiesOf(workspace);
    const optedOut = await workspace.govdata(["--json", "entity", "opt-out", first]);
    expect(JSON.parse(optedOut.stdout)).toMatchObject({ isChanged: true, isLive: true });
    onList(workspace, (book) => expect(book.has(first)).toBe(true));
    const dry = await workspace.govdata(["redact", "--dry-run"]);
    expect(dry.stdout).toContain("1 versions would be redacted");
    expect(entitiesOf(workspace)).toContain(first);
    const versionsOf = () => readdirSync(workspace.snapshots).filter((name) => name.startsWith("2"));
    const waits: [waitMs: number, versions: number][] = [];
    const pause = async (waitMs: number) => void waits.push([waitMs, versionsOf().length]);
    expect((await workspace.govdata(["redact"], { pause })).code).toBe(0);
    expect(waits, "readers follow while both versions are there").toEqual([[3000, 2]]);
    expect(entitiesOf(workspace)).not.toContain(first);
    expect(versionsOf()).toHaveLength(1);
    expect((await workspace.govdata(["verify", "--deep"])).code).toBe(0);
    const undone = await workspace.govdata(["--json", "entity", "opt-out", first, "--undo"]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ isChanged: true, isLive: true });
    onList(workspace, (book) => expect(book.has(first)).toBe(false));
    // Nothing comes back by itself.
    expect(entitiesOf(workspace)).not.toContain(first);
  });

  it("say of a damaged version that it may name somebody still, and what to do until it does not", async () => {
    const workspace = stands.published();
    const [first = ""] = entitiesOf(workspace);
    const [version = ""] = readdirSync(workspace.snapshots).filter((name) => name.startsWith("2"));
    writeFileSync(join(workspace.snapshots, version, "risk", `${LEAF}.json`), "?");
    onList(workspace, (book) => book.add(first, 1));
    const onCurrent = await workspace.govdata(["redact"]);
    expect(onCurrent.code).toBe(1);
    for (const said of [`${version} (current): risk/${LEAF}.json`, "`govdata publish`, then"]) {
      expect(onCurrent.stdout).toContain(said);
    }
    expect((await publishAgain(workspace)).code).toBe(0);
    const onOld = await workspace.govdata(["redact"]);
    expect([onOld.code, onOld.stdout]).toEqual([
      1,
      expect.stringContaining(`  ${version}: risk/${LEAF}.json`),
    ]);
    rmSync(join(workspace.snapshots, version), { recursive: true });
    expect((await workspace.govdata(["redact"])).code).toBe(0);
  });

  it("are obeyed by `show` at once, though the version still names the entity", async () => {
    const workspace = stands.published();
    const shown = async (...args: string[]) => (await workspace.govdata(["--json", "show", ...args])).stdout;
    const [first = ""] = JSON.parse(await shown("dao", LEAF)).top_entities.map(
      (entity: { entity_id: string }) => entity.entity_id,
    );
    const [wallet = ""] = JSON.parse(await shown("entity", first)).wallets;
    onList(workspace, (book) => book.add(first, 1));
    for (const name of [first, wallet]) {
      const end = await workspace.govdata(["show", "entity", name]);
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
    const workspace = stands.published();
    const end = await workspace.govdata(["--optouts", join(workspace.snapshots, "o.db"), "status"]);
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining("--optouts must not be")]);
  });
});
