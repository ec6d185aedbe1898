import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { concentrationCells } from "../../../../../pipeline/documents/columns.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../../../pipeline/facts/proposal-votes.ts";
import { loadRegistry } from "../../../../../pipeline/registry/registry.ts";
import { createPseudonyms } from "../../../../../pipeline/tools/export/partitioned/pseudonyms.ts";
import { queryFiles } from "../../../../../pipeline/tools/export/partitioned/queries.ts";
import {
  TABLE_NAMES,
  TABLES,
  type TableName,
} from "../../../../../pipeline/tools/export/partitioned/tables.ts";
import { openWarehouse } from "../../../../../pipeline/warehouse/warehouse.ts";
import { openWarehouseView } from "../../../../../pipeline/warehouse/warehouse-reader.ts";
import { openSqlite } from "../../../../../snapshots/base/sqlite.ts";
import { sha256Hex } from "../../../../../snapshots/format/canonical-json.ts";
import { DaoHistory, DaoList, type DaoSummary, RiskAssessment } from "../../../../../snapshots/format/dao.ts";
import { Evidence } from "../../../../../snapshots/format/evidence.ts";
import { type Ranking, Rankings } from "../../../../../snapshots/format/rankings.ts";
import { bytesByPath } from "../../../../snapshots/store/temporary-root.ts";
import { canaryLines, createCanarySearch, makeCanaries } from "../../../../support/canaries.ts";
import { publishedFiles } from "../../../../support/published-files.ts";
import { LEAF, makeStands, NOW_MS, PACKAGE_DIRECTORY, type Stand, TOAST } from "../../../cli/stand.ts";
import { inDuckdb } from "./sql/in-duckdb.ts";

/** One with delegate lists. */
const LISTED = "tidewater-credit.example";
const small = await makeStands();
const { world, published } = await makeStands([LEAF, TOAST, LISTED]);

type PlainRow = Record<string, unknown>;

async function rowsOfFile(path: string): Promise<readonly PlainRow[]> {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  return parquetReadObjects({ file });
}

/** Every row of a table, or those of one DAO. */
async function rowsOf(folder: string, name: TableName, spaceId?: string): Promise<readonly PlainRow[]> {
  if (!TABLES[name].isPartitioned) return rowsOfFile(join(folder, `${name}.parquet`));
  const spaces = readdirSync(join(folder, name)).filter(
    (name) => spaceId === undefined || name === `space_id=${spaceId}`,
  );
  const files = spaces.sort().map((space) => join(folder, name, space, "part-0.parquet"));
  return (await Promise.all(files.map(rowsOfFile))).flat();
}

async function exported(setup: Stand, ...more: readonly string[]): Promise<string> {
  const folder = join(setup.directory, "out");
  const end = await setup.govdata(["-q", "export", "--partitioned", "-o", folder, ...more]);
  expect(end.code, end.stderr).toBe(0);
  return folder;
}

const warehousePath = (setup: Stand) => join(setup.home, "warehouse.db");

/** What the warehouse holds of every DAO, as scoring sees it. */
function factsOf(setup: Stand) {
  const registry = loadRegistry(join(setup.archive, "registry.yaml"));
  const warehouse = openWarehouse(warehousePath(setup));
  const facts = registry.daos.map((dao) => warehouse.daoFacts(dao, registry));
  warehouse.close();
  return { registry, facts };
}

function addressesOf(setup: Stand): ReadonlyMap<number, string> {
  const view = openWarehouseView(warehousePath(setup));
  const addresses = new Map<number, string>();
  view.eachVoter((address, voterNumber) => void addresses.set(voterNumber, address));
  view.close();
  return addresses;
}

const KEY_FILE = "voter-pseudonyms.key";
const keyOf = (setup: Stand): Buffer =>
  Buffer.from(readFileSync(join(setup.home, KEY_FILE), "utf8").trim(), "hex");

const base = published();
const out = await exported(base);
const { registry, facts } = factsOf(base);
const pseudonyms = createPseudonyms(keyOf(base));
const files = publishedFiles(base.snapshots);
const idOf = (address: string | undefined) => (address === undefined ? null : pseudonyms.voterIdOf(address));
/** A number as a Parquet file has it, which keeps whole ones apart. */
const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
const whole = (value: number | undefined) => (value === undefined ? null : BigInt(value));

describe("every vote of the warehouse is in ballots, as it is there", () => {
  const addresses = addressesOf(base);

  /** Rows in the order of pseudonyms: one by address would tell who they are. */
  function placesByPseudonym({ voterIds }: ProposalVotes): readonly number[] {
    const ids = [...voterIds].map((voter) => idOf(addresses.get(voter)));
    return [...ids.keys()].sort((one, other) => ((ids[one] ?? "") < (ids[other] ?? "") ? -1 : 1));
  }

  it("with its voter, power to the last bit, time and choice; null is null", async () => {
    let votes = 0;
    for (const { dao, ballots } of facts) {
      const rows = await rowsOf(out, "ballots", dao.spaceId);
      const columnOf = (name: string) => rows.map((row) => row[name]);
      const held = [...ballots.values()];
      const valuesOf = <Value>(
        select: (ballot: ProposalVotes, index: number, has: (mask: number) => boolean) => Value,
      ) =>
        held.flatMap((ballot) =>
          placesByPseudonym(ballot).map((index) =>
            select(ballot, index, (mask) => ((ballot.flags[index] ?? 0) & mask) !== 0),
          ),
        );
      const { powerKnown, timeKnown } = VOTE_FLAGS;
      const expected = {
        space_id: valuesOf(() => dao.spaceId),
        proposal_id: valuesOf(({ proposalId }) => proposalId),
        voter_id: valuesOf(({ voterIds }, index) => idOf(addresses.get(voterIds[index] ?? 0))),
        power: valuesOf(({ powers }, index, has) => (has(powerKnown) ? powers[index] : null)),
        cast_at_ms: valuesOf(({ timesS }, index, has) =>
          has(timeKnown) ? BigInt(timesS[index] ?? 0) * 1000n : null,
        ),
        choice_number: valuesOf(({ choiceIndexes }, index) => BigInt(choiceIndexes[index] ?? 0)),
      };
      for (const [name, values] of Object.entries(expected)) expect(columnOf(name), name).toEqual(values);
      votes += rows.length;
    }
    expect(votes).toBeGreaterThan(1_000);
  });

  it("one row of voters for each of them, and one person for the wallets of an entity", async () => {
    const voters = await rowsOf(out, "voters");
    const voted = new Set((await rowsOf(out, "ballots")).map((row) => row["voter_id"]));
    expect(voters.map((row) => row["voter_id"])).toEqual([...voted].toSorted());
    const personOf = new Map(voters.map((row) => [row["voter_id"], row["person_id"]]));
    let shared = 0;
    for (const { entityId, wallets } of registry.entities) {
      const persons = wallets
        .map((wallet) => personOf.get(pseudonyms.voterIdOf(wallet)))
        .filter((id) => id !== undefined);
      for (const person of persons) expect(person).toBe(pseudonyms.personIdOf("", entityId));
      if (persons.length > 1) shared += 1;
    }
    expect(shared, "entities of which two wallets vote").toBeGreaterThan(0);
    const owned = new Set(registry.entities.flatMap(({ wallets }) => wallets.map(pseudonyms.voterIdOf)));
    const labelled = voters.filter((row) => row["is_labelled"] === true);
    expect(labelled).toEqual(voters.filter((row) => owned.has(String(row["voter_id"]))));
    expect(labelled.length).toBeGreaterThan(0);
    const alone = voters.filter((row) => !owned.has(String(row["voter_id"])));
    expect(new Set(alone.map((row) => row["person_id"])).size, "everybody else is a person").toBe(
      alone.length,
    );
  });
});

describe("every proposal is there", () => {
  it("with its facts, its author under the name of the voter, and what the version says of it", async () => {
    let count = 0;
    for (const { dao, proposals, ballots } of facts) {
      const rows = proposals.length === 0 ? [] : await rowsOf(out, "proposals", dao.spaceId);
      expect(rows.length, dao.spaceId).toBe(proposals.length);
      const text = files.bytes(`proposals/${dao.spaceId}.ndjson`).toString("utf8").trimEnd();
      const lines = new Map(
        text
          .split("\n")
          .filter(Boolean)
          .map((line) => [JSON.parse(line).id, JSON.parse(line)]),
      );
      for (const [index, proposal] of proposals.entries()) {
        const row = rows[index] ?? {};
        expect(row).toMatchObject({
          proposal_id: proposal.proposalId,
          end_at_ms: whole(proposal.end?.atMs),
          end_precision: proposal.end?.precision ?? null,
          voting_type: proposal.votingType ?? null,
          discussion: proposal.discussion ?? null,
          scores_total: proposal.scoresTotal ?? null,
          votes_count: whole(proposal.votesCount),
          strategies_sha256: proposal.strategiesKey === undefined ? null : sha256Hex(proposal.strategiesKey),
          is_deleted: proposal.isDeleted,
          author_id: idOf(proposal.author),
          ballot_votes_count: whole(ballots.get(proposal.proposalId)?.count),
        });
        const line = lines.get(proposal.proposalId);
        for (const [name, value] of Object.entries(row)) {
          const measure = /^measured_(.*)$/.exec(name)?.[1];
          if (measure === undefined) continue;
          expect(plain(value), name).toBe(line[measure] ?? null);
        }
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(50);
  });
});

/** The cells of a row of `scores` that are named otherwise than in the documents they come from. */
const scoreCells = (
  { completeness_pct, concentration, frame, measures, presence, risk }: Evidence,
  ranking: Ranking | undefined,
  summary: DaoSummary | undefined,
  assessment: RiskAssessment | undefined,
) => ({
  presence_low: presence.low,
  presence_high: presence.high,
  risk_score: risk?.point,
  risk_low: risk?.low,
  risk_high: risk?.high,
  risk_base: risk?.base,
  risk_dominance_floor: risk?.dominance_floor,
  risk_level: assessment?.risk_level,
  risk_trend: assessment?.trend,
  data_completeness_pct: completeness_pct,
  known: frame.known,
  members: frame.members,
  eligible: frame.eligible,
  frame_weight: frame.weight,
  ...concentrationCells(concentration),
  author_weight: measures.authors.sum,
  author_weight_squares: measures.authors.of_proposals,
  author_sum_squares: measures.authors.of_authors,
  active_voters: measures.active_voters,
  delegation_hhi_points: measures.delegation?.hhi_points,
  rank: summary?.rank,
  rank_best: ranking?.best,
  rank_worst: ranking?.worst,
  delta_24h: summary?.delta_24h,
});

describe("scores are those of the version", () => {
  it("to the last bit, with their indicators", async () => {
    const scores = await rowsOf(out, "scores");
    expect(scores.map((row) => row["space_id"])).toEqual(facts.map(({ dao }) => dao.spaceId).toSorted());
    const indicators = await rowsOf(out, "indicators");
    const ranking = DaoList.parse(files.json("daos.json"));
    const seen = new Map<string, boolean>();
    const rankings = Rankings.parse(files.json("rankings.json"));
    let scored = 0;
    for (const row of scores) {
      const evidence = Evidence.parse(files.json(`evidence/${row["space_id"]}.json`));
      const summary = ranking.find((dao) => dao.space_id === row["space_id"]);
      const place = rankings.find((dao) => dao.space_id === row["space_id"]);
      const assessment =
        summary === undefined ? undefined : RiskAssessment.parse(files.json(`risk/${row["space_id"]}.json`));
      for (const [name, value] of Object.entries(scoreCells(evidence, place, summary, assessment))) {
        expect(plain(row[name]), name).toBe(value ?? null);
        seen.set(name, seen.get(name) === true || row[name] !== null);
      }
      const { gvs, components } = evidence;
      expect([row["gvs_low"], row["gvs"], row["gvs_high"]]).toEqual([gvs.low, gvs.point, gvs.high]);
      expect(row["unscored"]).toBe(evidence.unscored);
      expect([row["hpr_low"], row["hpr_high"]]).toEqual([components.hpr.low, components.hpr.high]);
      expect(row["as_of_ms"]).toBe(BigInt(Date.parse(evidence.as_of)));
      const daoIndicators = indicators.filter((indicator) => indicator["space_id"] === row["space_id"]);
      expect(daoIndicators.map((indicator) => indicator["low"])).toEqual(
        (["hpr", "dei", "pdi", "gpi"] as const).flatMap((key) =>
          components[key].indicators.map(({ low }) => low),
        ),
      );
      if (evidence.unscored === null) scored += 1;
    }
    expect(scored).toBeGreaterThan(0);
    const unseen = [...seen].flatMap(([name, isSeen]) => (isSeen ? [] : [name]));
    expect(unseen, "columns that are null everywhere prove nothing").toEqual([]);
  });

  it("and delegation: the listing as published, lists in full under other names", async () => {
    const listed = facts.find(({ dao }) => dao.spaceId === LISTED);
    const lists = await rowsOf(out, "delegate_lists", LISTED);
    expect(lists.map((row) => row["votes"])).toEqual(
      listed?.delegateLists.flatMap(({ delegates }) => delegates.map(({ votes }) => String(votes))),
    );
    const voters = new Set((await rowsOf(out, "voters")).map((row) => row["voter_id"]));
    const first = listed?.delegateLists[0]?.delegates[0]?.address ?? "";
    expect(lists[0]?.["account_id"]).toBe(pseudonyms.accountIdOf(first));
    expect(lists.filter((row) => voters.has(row["account_id"]))).toEqual([]);
    const linesOf = (path: string) => files.bytes(path).toString("utf8").trimEnd().split("\n").slice(1);
    const days = await rowsOf(out, "delegate_days", LISTED);
    expect(days.map((row) => [row["source"], Number(row["delegates"]), row["total_votes"]])).toEqual(
      linesOf(`delegates/${LISTED}/days.csv`).map((line) => {
        const [, , , source, delegates, total] = line.split(",");
        return [source, Number(delegates), Number(total)];
      }),
    );
    const ranking = await rowsOf(out, "delegates", LISTED);
    expect(ranking.map((row) => row["address"])).toEqual(
      linesOf(`delegates/${LISTED}/all.csv`).map((line) => line.split(",")[1]),
    );
    expect(ranking.length).toBeGreaterThan(10);
  });

  it("and the days of the history, as published", async () => {
    const points = DaoHistory.parse(files.json(`history/${LISTED}.json`)).points;
    const rows = await rowsOf(out, "history", LISTED);
    expect(rows.map((row) => row["gvs"])).toEqual(points.map(({ gvs }) => gvs));
    expect(points.length).toBeGreaterThan(100);
  });
});

describe("the folder", () => {
  it("says what is in it, and every table has its columns for every reader", async () => {
    const about = JSON.parse(readFileSync(join(out, "about.json"), "utf8"));
    const written = bytesByPath(out);
    expect([...written.keys()].toSorted()).toEqual(
      [...about.files.map((file: { path: string }) => file.path), "about.json"].toSorted(),
    );
    for (const { path, sha256, bytes } of about.files) {
      expect(written.get(path)).toBe(sha256);
      expect(statSync(join(out, path)).size).toBe(bytes);
    }
    expect(readdirSync(join(out, "delegate_lists")), "no file without rows").toEqual([`space_id=${LISTED}`]);
    expect(about).toMatchObject({ kind: "govdata-export", as_of: world.asOf, fetched_since: [] });
    const types = {
      string: "VARCHAR",
      integer: "BIGINT",
      number: "DOUBLE",
      boolean: "BOOLEAN",
      date: "DATE",
      timestamp: "TIMESTAMP WITH TIME ZONE",
    };
    await inDuckdb(async (connection) => {
      for (const name of TABLE_NAMES) {
        const { columns, isPartitioned } = TABLES[name];
        const pattern = isPartitioned ? `${name}/*/*.parquet` : `${name}.parquet`;
        const from = `FROM read_parquet('${out}/${pattern}', hive_partitioning = false)`;
        const result = await connection.runAndReadAll(`SELECT * ${from}`);
        expect(result.columnNames()).toEqual(columns.map((column) => column.name));
        expect(result.columnTypes().map(String)).toEqual(columns.map(({ type }) => types[type]));
        expect(result.currentRowCount, name).toBe(about.tables[name].rows);
        expect(new Set(result.columnNames()).size).toBe(columns.length);
      }
    });
  });

  it("has the SQL of every measure, for DuckDB and ClickHouse", () => {
    const sql = [...queryFiles(PACKAGE_DIRECTORY)];
    expect(bytesByPath(join(out, "sql"))).toEqual(
      new Map(sql.toSorted().map(([path, text]) => [path, sha256Hex(text)])),
    );
  });

  it("has the same bytes another time, and other names under another key", async () => {
    const [one, two, other] = [small.published(), small.published(), small.published()];
    const first = await exported(one);
    copyFileSync(join(one.home, KEY_FILE), join(two.home, KEY_FILE));
    expect(bytesByPath(await exported(two))).toEqual(bytesByPath(first));
    const elsewhere = await exported(other);
    expect(statSync(join(other.home, KEY_FILE)).mode & 0o777).toBe(0o600);
    const [ours, second] = await Promise.all([first, elsewhere].map((folder) => rowsOf(folder, "voters")));
    expect(second?.length).toBe(ours?.length);
    const names = new Set((ours ?? []).flatMap((row) => [row["voter_id"], row["person_id"]]));
    expect((second ?? []).filter((row) => names.has(row["voter_id"]) || names.has(row["person_id"]))).toEqual(
      [],
    );
    const before = bytesByPath(first);
    const same = [...bytesByPath(elsewhere)].filter(([path, sha256]) => before.get(path) === sha256);
    const roots = new Set(same.map(([path]) => path.split("/")[0]));
    expect([...roots]).toEqual(expect.arrayContaining(["scores.parquet", "spaces.parquet", "history"]));
    for (const named of ["about.json", "voters.parquet", "ballots", "proposals"])
      expect(roots).not.toContain(named);
  });

  it("prints one line of JSON about it", async () => {
    const setup = small.published();
    const folder = join(setup.directory, "x");
    const end = await setup.govdata(["--json", "-q", "export", "--partitioned", "-o", folder]);
    const { tables } = JSON.parse(readFileSync(join(folder, "about.json"), "utf8"));
    expect(JSON.parse(end.stdout)).toEqual({
      folder: "x",
      version: publishedFiles(setup.snapshots).version,
      asOf: world.asOf,
      fetchedSince: [],
      files: bytesByPath(folder).size,
      bytes: expect.any(Number),
      rows: Object.fromEntries(TABLE_NAMES.map((name) => [name, tables[name].rows])),
    });
  });
});

describe("no name of anybody", () => {
  it("is in any byte but those of delegates, entities of the registry and opted out ones alike", async () => {
    const setup = published();
    const wallets = [...new Set(addressesOf(setup).values())].filter(
      (wallet) =>
        wallet.length === 42 && !registry.entities.some((entity) => entity.wallets.includes(wallet)),
    );
    // A delegate with a name of its own, who opts out.
    const named = publishedFiles(setup.snapshots)
      .bytes(`delegates/${LISTED}/all.csv`)
      .toString("utf8")
      .split("\n")
      .map((line) => line.split(","))
      .find(
        ([, wallet, ens]) =>
          ens !== "" && wallets.includes(wallet ?? "") === false && wallet?.startsWith("0x"),
      );
    const canaries = makeCanaries(60, [named?.[1] ?? "", ...wallets.slice(0, 49)]);
    const path = join(setup.archive, "registry.yaml");
    writeFileSync(
      path,
      `${readFileSync(path, "utf8").trimEnd()}\n${canaryLines(canaries, (index) => index % 2 === 0)}`,
    );
    const folder = await exported(setup);
    const search = createCanarySearch([
      ...canaries,
      ...registry.entities.map(({ entityId, label, wallets: [wallet = ""] }) => ({
        entityId,
        label,
        wallet,
      })),
    ]);
    let looked = 0;
    for (const name of TABLE_NAMES) {
      const bytes = Buffer.from(JSON.stringify(await rowsOf(folder, name), (_, value) => plain(value)));
      looked += bytes.length;
      expect(search.names(bytes), name).toBe(0);
      // A delegate's row shows an address, as published; of an entity that has opted out nothing but that.
      if (name === "delegates") continue;
      expect(search.wallets(bytes), name).toBe(0);
      expect(bytes.toString().match(/0x[0-9a-f]{40}(?![0-9a-f])/g), name).toBeNull();
      for (const { label } of registry.entities)
        expect(bytes.includes(label), `${name}: ${label}`).toBe(false);
    }
    expect(looked).toBeGreaterThan(1_000_000);
    const [bare] = (await rowsOf(folder, "delegates", LISTED)).filter((row) => row["address"] === named?.[1]);
    expect(named?.[2], "a name that is published").toMatch(/./);
    expect(bare).toMatchObject({
      ens: null,
      display_name: expect.stringMatching(/^0x[0-9a-f]{4}…[0-9a-f]{4}$/),
    });
    const persons = new Set((await rowsOf(folder, "voters")).map((row) => row["person_id"]));
    const { personIdOf } = createPseudonyms(keyOf(setup));
    expect(canaries.filter(({ entityId }) => persons.has(personIdOf("", entityId)))).toHaveLength(49);
    const key = keyOf(setup).toString("hex");
    for (const file of bytesByPath(folder).keys())
      expect(readFileSync(join(folder, file)).includes(key)).toBe(false);
  });
});

describe("what is refused leaves nothing behind", () => {
  const refused = async (setup: Stand, args: readonly string[], says: RegExp) => {
    const before = readdirSync(setup.directory).toSorted();
    const end = await setup.govdata(["-q", "export", ...args], { nowMs: () => NOW_MS + 60_000 });
    expect(end.stderr).toMatch(says);
    expect(end.stdout).toBe("");
    expect(readdirSync(setup.directory).toSorted()).toEqual(before);
    return end.code;
  };
  const to = (setup: Stand) => ["--partitioned", "-o", join(setup.directory, "out")];
  const change = (setup: Stand, sql: string) => {
    const warehouse = openSqlite(warehousePath(setup));
    const { changes } = warehouse.prepare(sql).run();
    warehouse.close();
    expect(changes).toBeGreaterThan(0);
  };

  it("a version that was made of other facts", async () => {
    const setup = small.published();
    change(setup, "DELETE FROM ballots WHERE votes_count > 0");
    expect(await refused(setup, to(setup), /SNAPSHOT_STALE.*was not made from the home's data/)).toBe(1);
  });

  it("a ballot that is damaged, after the first DAOs are written; an export that was there stays", async () => {
    const setup = small.published();
    const folder = await exported(setup);
    const before = bytesByPath(folder);
    change(
      setup,
      "UPDATE ballots SET packed = zeroblob(length(packed)) WHERE proposal_number = (SELECT max(proposal_number) FROM ballots)",
    );
    expect(await refused(setup, [...to(setup), "--force"], /WAREHOUSE_CORRUPT/)).toBe(1);
    expect(bytesByPath(folder)).toEqual(before);
  });

  it("a home without a warehouse, which is not made", async () => {
    const home = join(base.directory, "no-home");
    const before = existsSync(home);
    const end = await base.govdata(["--home", home, ...["-q", "export", ...to(base), "--force"]]);
    expect(end).toMatchObject({ code: 1, stderr: expect.stringMatching(/HOME_MISSING.*has no warehouse/) });
    expect(existsSync(home)).toBe(before);
  });

  it("a registry that tracks less than the version tells of", async () => {
    const setup = small.published();
    const path = join(setup.archive, "registry.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(TOAST, "another.example"));
    expect(await refused(setup, to(setup), /NOT_FOUND.*which the registry does not track/)).toBe(1);
  });

  it.each([
    { why: "others can read", text: `${"ab".repeat(32)}\n`, mode: 0o640, says: /is readable by others/ },
    { why: "is too short", text: "abcd\n", mode: 0o600, says: /is not a key/ },
    { why: "is empty", text: "", mode: 0o600, says: /is not a key/ },
  ])("a key that $why", async ({ text, mode, says }) => {
    const setup = small.published();
    writeFileSync(join(setup.home, KEY_FILE), text, { mode });
    expect(await refused(setup, to(setup), says)).toBe(1);
    expect(readFileSync(join(setup.home, KEY_FILE), "utf8")).toBe(text);
  });
});

it("a DAO that was fetched again to no effect is named", async () => {
  const setup = small.published();
  const later = { nowMs: () => NOW_MS + 3_600_000 };
  expect((await setup.govdata(["-q", "fetch", LEAF, "--from", setup.archive, "--full"], later)).code).toBe(0);
  const folder = join(setup.directory, "out");
  const end = await setup.govdata(["-q", "export", "--partitioned", "-o", folder], later);
  expect(end.stdout).toContain(`fetched since that version: ${LEAF}\n`);
  expect(JSON.parse(readFileSync(join(folder, "about.json"), "utf8")).fetched_since).toEqual([LEAF]);
});
