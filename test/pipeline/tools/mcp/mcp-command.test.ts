import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, it } from "vitest";
import { compileCopy } from "../../../support/compiled-copy.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { makeStands, type Stand } from "../../cli/stand.ts";

const TIDE = "tidewater-credit.example";
const HARBOUR = "harbour-lanterns.example";
/** Too little is known of it for a score. */
const BEACON = "unlit-beacon.example";

const { published, world } = await makeStands([TIDE, HARBOUR, BEACON]);
const MAIN = compileCopy(fileURLToPath(new URL("../../../../pipeline/cli/main.ts", import.meta.url)));

/** The largest answer: what a model reads at once without being drowned. */
const BYTES_MAX = 32_768;

const clients: Client[] = [];
afterAll(async () => {
  for (const client of clients) await client.close();
});

/** Its schema has been checked by the client. */
type Answer = ReturnType<typeof JSON.parse>;

/** The official client, with `govdata mcp` on a stand as its server. */
async function connect({ home, snapshots }: Pick<Stand, "home" | "snapshots">) {
  const client = new Client({ name: "test", version: "1.0.0" });
  clients.push(client);
  const args = [MAIN, "--home", home, "--snapshots", snapshots, "mcp"];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
  await client.connect(transport);
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    return { text, answer: structuredContent as Answer, isError: isError === true };
  };
  return { client, call };
}

const stand = published();
const { client, call } = await connect(stand);

it("lists read-only tools with the shapes of what they take and answer", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "list_daos",
    "get_dao",
    "explain_score",
    "compare_daos",
    "what_changed",
    "get_methodology",
  ]);
  for (const { name, annotations, inputSchema, outputSchema } of tools) {
    expect(annotations, name).toMatchObject({ readOnlyHint: true });
    expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema?.["required"], name).toEqual(
      expect.arrayContaining(["quote", "as_of", "methodology_version"]),
    );
  }
});

const CALLS: readonly (readonly [name: string, input: Record<string, unknown>])[] = [
  ["list_daos", {}],
  ["list_daos", { limit: 100 }],
  ["get_dao", { space_id: TIDE }],
  ["get_dao", { space_id: BEACON }],
  ["explain_score", { space_id: TIDE }],
  ["explain_score", { space_id: BEACON }],
  ["compare_daos", { space_ids: [TIDE, HARBOUR, BEACON] }],
  ["what_changed", { min_delta: 0, limit: 50 }],
  ["get_methodology", {}],
];

it.each(CALLS)("%s %j answers within its bounds, with a dated sentence", async (name, input) => {
  const { text, answer, isError } = await call(name, input);
  expect(isError, text).toBe(false);
  expect(JSON.parse(text)).toEqual(answer);
  expect(text.length).toBeLessThan(BYTES_MAX);
  const { as_of: asOf, methodology_version: method } = JSON.parse(
    publishedFiles(stand.snapshots).bytes("manifest.json").toString(),
  );
  expect(answer).toMatchObject({ as_of: asOf, methodology_version: method });
  expect(answer.quote).toContain(`s of ${asOf.slice(0, 10)} 23:59 UTC, by method ${method} of govdata`);
  expect(answer.quote).toMatch(/\.\)?$/);
});

describe("says what the published files and the other commands say", () => {
  const files = publishedFiles(stand.snapshots);
  const inJson = async (...args: readonly string[]) =>
    JSON.parse((await stand.govdata([...args, "--json"])).stdout);

  it("list_daos: scored DAOs by rank, then the others with their interval and the reason", async () => {
    const { answer } = await call("list_daos");
    const daos: Answer = files.json("daos.json");
    const [{ interval, reason }]: Answer = files.json("unscored.json");
    expect(answer.daos).toMatchObject([
      ...daos.map(({ space_id, gvs, rank }: Answer) => ({ space_id, gvs, rank })),
      { space_id: BEACON, gvs: null, rank: null, interval: interval.gvs, no_score_because: reason.message },
    ]);
    for (const dao of answer.daos.slice(0, -1)) {
      expect(dao.interval[0]).toBeLessThanOrEqual(dao.gvs);
      expect(dao.interval[1]).toBeGreaterThanOrEqual(dao.gvs);
    }
  });

  it.each([
    { why: "a part of a name, in capitals", input: { search: "TIDEW" }, want: [TIDE] },
    { why: "nothing of that name", input: { search: "no such" }, want: [] },
    { why: "a page", input: { limit: 1, offset: 2 }, want: [BEACON] },
    { why: "a page behind the last", input: { offset: 9 }, want: [] },
  ])("list_daos: $why", async ({ input, want }) => {
    const { answer } = await call("list_daos", input);
    expect(answer.daos.map(({ space_id }: Answer) => space_id)).toEqual(want);
  });

  it("get_dao: the document, or the reason why there is none", async () => {
    const shown = await inJson("show", "dao", TIDE);
    const { dao } = (await call("get_dao", { space_id: TIDE })).answer;
    expect(dao).toEqual({ ...shown, gvs_30d_dates: dao.gvs_30d_dates });
    expect(dao.gvs_30d_dates).toHaveLength(30);
    const { answer } = await call("get_dao", { space_id: BEACON });
    expect(answer.dao).toBeUndefined();
    expect(answer.quote).toContain(`has no governance score (GVS): ${answer.unscored.reason.message}`);
  });

  it("explain_score: the indicators of the evidence", async () => {
    const { evidence } = await inJson("explain", TIDE);
    const { answer } = await call("explain_score", { space_id: TIDE, component: "dei" });
    expect(answer.components).toHaveLength(1);
    const [component] = answer.components;
    const { dei } = evidence.components;
    const idsOf = ({ indicators }: Answer) => indicators.map(({ id }: Answer) => id);
    expect(component.interval[0]).toBeCloseTo(dei.low, 2);
    expect(idsOf(component)).toEqual(idsOf(dei));
  });

  it("compare_daos: the sentence of compare", async () => {
    const { pairs } = await inJson("compare", TIDE, HARBOUR);
    const { answer } = await call("compare_daos", { space_ids: [TIDE, HARBOUR] });
    expect(answer.quote).toContain(pairs[0].sentence);
    expect(answer.pairs[0].verdict).toBe(pairs[0].verdict);
  });

  it("what_changed: the DAOs of diff, and no smaller move than asked for", async () => {
    const { daos } = await inJson("diff", "--days", "30");
    const { answer } = await call("what_changed", { min_delta: 0 });
    const moved = daos.filter(({ gvs }: Answer) => gvs.before !== gvs.after);
    expect(answer.daos.map((dao: Answer) => dao.space_id)).toEqual(
      moved.map(({ spaceId }: Answer) => spaceId),
    );
    expect(moved.length).toBeGreaterThan(0);
    expect((await call("what_changed", { min_delta: 10 })).answer.daos).toEqual([]);
  });
});

describe("refuses with what is wrong", () => {
  it.each([
    { name: "get_dao", input: {}, says: /space_id/ },
    { name: "get_dao", input: { space_id: 7 }, says: /space_id/ },
    { name: "get_dao", input: { space_id: TIDE, spaceid: TIDE }, says: /spaceid/ },
    {
      name: "get_dao",
      input: { space_id: "tidewater" },
      says: /NOT_FOUND: tidewater is not .*Did you mean tidew/,
    },
    { name: "get_dao", input: { space_id: "../../etc/passwd" }, says: /NOT_FOUND: \.\.\/\.\.\/etc/ },
    { name: "get_dao", input: { space_id: "x".repeat(101) }, says: /space_id/ },
    { name: "explain_score", input: { space_id: TIDE, component: "gvs" }, says: /component/ },
    { name: "explain_score", input: { space_id: TIDE, version: "../home" }, says: /NOT_FOUND: no version/ },
    {
      name: "explain_score",
      input: { space_id: TIDE, version: "previous" },
      says: /no version before the current/,
    },
    { name: "compare_daos", input: { space_ids: [TIDE] }, says: /space_ids/ },
    { name: "compare_daos", input: { space_ids: [TIDE, TIDE] }, says: /BAD_OPTION: tidewater.* twice/ },
    { name: "compare_daos", input: { space_ids: Array(6).fill(TIDE) }, says: /space_ids/ },
    { name: "what_changed", input: { days: 0 }, says: /days/ },
    { name: "what_changed", input: { days: 365 }, says: /days/ },
    { name: "list_daos", input: { limit: 101 }, says: /limit/ },
    { name: "list_daos", input: { category: "games" }, says: /category/ },
  ])("$name $input", async ({ name, input, says }) => {
    const { text, isError } = await call(name, input);
    expect(isError).toBe(true);
    expect(text).toMatch(says);
    expect(text).not.toContain(stand.directory);
  });

  it("a tool that does not exist", async () => {
    await expect(call("delete_dao")).rejects.toThrow(/delete_dao/);
  });

  it("a damaged file, whose path within the version it names, and answers the next question", async () => {
    const other = published();
    const damaged = await connect(other);
    const { version } = publishedFiles(other.snapshots);
    writeFileSync(join(other.snapshots, version, "daos.json"), "[]\n");
    const { text, isError } = await damaged.call("compare_daos", { space_ids: [TIDE, HARBOUR] });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^SNAPSHOT_INVALID: .*daos\.json/)]);
    expect(text).not.toContain(other.directory);
    expect((await damaged.call("nothing").catch((error) => error)).message).toMatch(/nothing/);
  });

  it("everything while nothing is published", async () => {
    const empty = await connect({
      home: join(stand.directory, "no-home"),
      snapshots: join(stand.directory, "none"),
    });
    const { text, isError } = await empty.call("list_daos");
    expect([isError, text]).toEqual([true, expect.stringMatching(/^SNAPSHOT_MISSING: /)]);
  });
});

it("names no entity that opted out, before and after the version is redacted", async () => {
  const other = published();
  const { answer } = await call("get_dao", { space_id: TIDE });
  const [named] = answer.dao.top_entities;
  expect(named, "the world has an entity there").toBeDefined();
  const registry = join(other.archive, "registry.yaml");
  const optOut = await other.govdata(["--registry", registry, "entity", "opt-out", named.entity_id]);
  expect(optOut.code, optOut.stderr).toBe(0);
  const { call: ask } = await connect(other);
  const hidden = [
    ...world.entities
      .filter(({ isOptedOut }) => isOptedOut)
      .flatMap(({ entityId, wallets }) => [entityId, ...wallets]),
    ...[named.entity_id, named.label],
  ];
  const answers = async () => Promise.all(CALLS.map(async ([name, input]) => (await ask(name, input)).text));
  const [before, redacted] = [await answers(), await other.govdata(["redact"])];
  expect(redacted.code, redacted.stderr).toBe(0);
  for (const text of [...before, ...(await answers())])
    for (const words of hidden) expect(text).not.toContain(words);
});
