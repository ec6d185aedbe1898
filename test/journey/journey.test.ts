import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { DataPackage } from "../../snapshots/format/data-package.ts";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { Manifest, RunReport } from "../../snapshots/format/manifest.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import {
  type Answer,
  ask,
  checkPromised,
  checkUnauthorized,
  comparable,
  type Question,
} from "../support/journey/check-answer.ts";
import { journeyRequests } from "../support/journey/journey-requests.ts";
import { setStage } from "../support/journey/stage.ts";
import { openApiViolations } from "../support/openapi-validator.ts";
import { FILES_OF_THE_RUN, type PublishedFiles, publishedFiles } from "../support/published-files.ts";
import { runProxyCommand } from "../support/run-in-process.ts";
import { startProxy } from "../support/run-program.ts";

// The whole way, with both programs in processes of their own. It is set before the tests are listed,
// because what must be asked follows from what was published.
const stage = setStage({ endDay: "2026-10-31" });
afterAll(() => stage.remove());
const asOf = stage.world.asOf;
const firstRun = await stage.govdata("run", "--source", "archive", "--from", stage.archive, "--as-of", asOf);
if (firstRun.code !== 0) throw new Error(`the run ended with ${firstRun.code}: ${firstRun.stderr}`);
const published = publishedFiles(stage.snapshots);
const requests = journeyRequests({ published, entities: stage.world.entities });

/** A Free account may ask a hundred times a day: as many accounts as the table needs. */
const FREE_PER_ACCOUNT = 90;
/** What `optout add` promises. */
const OBEYED_WITHIN_MS = 1_000;
const LIMITS: Readonly<Record<AccessTier, number>> = { free: 100, pro: 10_000, enterprise: 100_000 };
const freeAccounts = Array.from(
  { length: Math.ceil(requests.length / FREE_PER_ACCOUNT) },
  (_, n) => `free-${n}`,
);
const createdPro = await stage.proxy("key", "create", "--account", "pro", "--tier", "pro");
const proKey = createdPro.stdout.trim();
const [enterpriseKey = "", smallKey = "", spareKey = "", ...freeKeys] = await Promise.all([
  stage.createKey("enterprise", "enterprise"),
  stage.createKey("small", "enterprise", 3),
  stage.createKey("spare", "free"),
  ...freeAccounts.map((account) => stage.createKey(account, "free")),
]);
const proxy = await startProxy(stage.proxyArgs);
afterAll(() => proxy.stop());

/** Asks, and finds nothing in any answer that the OpenAPI document does not say. */
async function say(question: Question): Promise<Answer> {
  const answer = await ask(proxy.baseUrl, question);
  const { status, headers, bytes: body } = answer;
  const seen = { method: question.method ?? "GET", target: question.path, status, headers, body };
  expect(openApiViolations(seen)).toEqual([]);
  return answer;
}
const remaining = (answer: Answer) => Number(answer.headers["x-ratelimit-remaining"]);

describe("what was published", () => {
  it("names every file in the manifest, and tells what came in", () => {
    const manifest = Manifest.parse(published.json("manifest.json"));
    expect(manifest.as_of).toBe(asOf);
    expect(manifest.files.map((file) => file.path)).toEqual(
      published.paths.filter((p) => p !== "manifest.json").sort(),
    );
    const report = RunReport.parse(published.json("run.json"));
    const votes = report.fetches.reduce((sum, fetch) => sum + fetch.votes, 0);
    expect(votes).toBe(stage.world.votes);
    expect(report.counts).toMatchObject({
      daos_tracked: 12,
      entities_published: stage.world.entities.filter((entity) => !entity.isOptedOut).length,
    });
    expect(report.counts.daos_scored + report.counts.daos_unscored).toBe(12);
  });

  it("describes every file and the fields of its tables for Frictionless", () => {
    const { resources } = DataPackage.parse(published.json("datapackage.json"));
    const tables = resources.filter(({ schema }) => schema !== undefined).map(({ path }) => path);
    expect(resources.length).toBe(published.paths.length - 2);
    expect(tables).toEqual(
      published.paths.filter((path) => /^daos\.json$|\/(all|days)\.csv$|^proposals\//.test(path)).sort(),
    );
  });

  it("scores what can be scored, and says of the rest why not", () => {
    const unscored = published.json("unscored.json") as { space_id: string; reason: { code: string } }[];
    expect(Object.fromEntries(unscored.map(({ space_id, reason }) => [space_id, reason.code]))).toEqual({
      "feather-scale.example": "TOO_LITTLE_KNOWN",
      "quiet-foundry.example": "TOO_LITTLE_KNOWN",
      "unlit-beacon.example": "NO_PROPOSALS",
    });
    expect((published.json("daos.json") as unknown[]).length).toBe(12 - unscored.length);
    expect((published.json("dgi.json") as { dao_count: number }).dao_count).toBeGreaterThanOrEqual(5);
  });

  it("names nobody who opted out, in no file and no row of the index", () => {
    const optedOut = stage.world.entities.filter((entity) => entity.isOptedOut);
    for (const path of published.paths) {
      const text = published.bytes(path).toString("latin1");
      for (const { entityId, label } of optedOut) {
        expect(text.includes(entityId), `${path} names ${entityId}`).toBe(false);
        expect(text.includes(label), `${path} names ${label}`).toBe(false);
      }
    }
  });

  it("keeps the wallets of those who opted out in rankings, as bare addresses", () => {
    const rows = (
      published.json("delegates/tidewater-credit.example/latest.json") as {
        delegates: { address: string; ens?: string }[];
      }
    ).delegates;
    for (const entity of stage.world.entities.filter(({ isOptedOut }) => isOptedOut)) {
      const row = rows.find(({ address }) => address === entity.wallets[0]);
      expect(row, entity.wallets[0]).toBeDefined();
      expect(row).not.toHaveProperty("ens");
    }
    expect(rows.some((row) => row.ens !== undefined)).toBe(true);
  });

  it("verifies, deeply", async () => {
    expect(await stage.govdata("verify", "--deep")).toMatchObject({ code: 0 });
  });
});

describe("every request, on every tier", () => {
  it.each(
    requests.map((request, number) => ({ ...request, number, method: request.method ?? ("GET" as const) })),
  )("$method $path: $why", async ({ path, method, free, pro, number }) => {
    const callers = [
      { key: freeKeys[Math.floor(number / FREE_PER_ACCOUNT)], tier: "free", promised: free },
      { key: proKey, tier: "pro", promised: pro },
      { key: enterpriseKey, tier: "enterprise", promised: pro },
    ] as const;
    checkUnauthorized(await say({ path, method }), "MISSING_API_KEY");
    for (const { key, tier, promised } of callers)
      checkPromised(await say({ path, method, key }), promised, LIMITS[tier], published.version);
  });

  it("asks for enough: every endpoint, and every refusal that a caller can bring about", () => {
    expect(requests.length).toBeGreaterThan(200);
    const outcomes = new Set(requests.flatMap(({ free, pro }) => [free.status, pro.status]));
    expect(outcomes).toEqual(new Set([200, 400, 403, 404, 405]));
  });
});

describe("keys and quota", () => {
  it("gets a key alone on stdout, to be kept; what it is told about it goes elsewhere", () => {
    expect(createdPro).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^gvk_live_[0-9A-Za-z]{46}\n$/),
    });
    expect(createdPro.stderr).not.toContain(proKey);
  });

  it.each([
    { why: "no such key", key: `gvk_live_${"0".repeat(46)}` },
    { why: "no key at all, by its looks", key: "x" },
    { why: "one character off", key: `${proKey.slice(0, -1)}${proKey.endsWith("a") ? "b" : "a"}` },
  ])("refuses $why, and tells no more than of any other", async ({ key }) => {
    const answer = await say({ path: "/v1/daos", key });
    checkUnauthorized(answer, "INVALID_API_KEY");
    expect(comparable(answer)).toEqual(comparable(await say({ path: "/v1/nothing", key: "y" })));
  });

  it("charges one for every answer to a valid key, refusals and HEAD included, and nothing for a 304 and OPTIONS", async () => {
    const before = remaining(await say({ path: "/v1/dgi", key: spareKey }));
    const etag = String((await say({ path: "/v1/dgi", key: spareKey })).headers["etag"]);
    const costs = [
      await say({ path: "/v1/dgi", key: spareKey, headers: { "if-none-match": etag } }),
      await say({ path: "/v1/dgi", key: spareKey, method: "HEAD" }),
      await say({ path: "/v1/entities", key: spareKey }),
      await say({ path: "/v1/dgi?x=1", key: spareKey }),
      await say({ path: "/v1/nothing", key: spareKey }),
      await say({ path: "/v1/dgi", key: spareKey, method: "POST" }),
    ];
    expect(costs.map((answer) => answer.status)).toEqual([304, 200, 403, 400, 404, 405]);
    expect(costs.map(remaining)).toEqual([1, 2, 3, 4, 5, 6].map((spent) => before - spent));
    const options = await say({ path: "/v1/dgi", method: "OPTIONS" });
    expect(options).toMatchObject({ status: 204, text: "", headers: { allow: "GET, HEAD, OPTIONS" } });
    expect(remaining(await say({ path: "/v1/dgi", key: spareKey }))).toBe(before - 7);
  });

  it("stops at the account's own limit until midnight UTC", async () => {
    const answers: Answer[] = [];
    for (let asked = 0; asked < 5; asked += 1) answers.push(await say({ path: "/v1/dgi", key: smallKey }));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers.map(remaining)).toEqual([2, 1, 0, 0, 0]);
    expect(JSON.parse(answers[4]?.text ?? "")).toMatchObject({ error: { code: "RATE_LIMIT_EXCEEDED" } });
    const seconds = Number(answers[4]?.headers["retry-after"]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
  });
});

describe("representations", () => {
  const path = "/v1/daos";

  it.each([
    { why: "brotli before gzip", accept: "gzip, br", encoding: "br", decode: brotliDecompressSync },
    { why: "gzip where it is all", accept: "gzip", encoding: "gzip", decode: gunzipSync },
    {
      why: "plain where nothing is asked",
      accept: "",
      encoding: undefined,
      decode: (bytes: Buffer) => bytes,
    },
  ])(
    "$why: the same bytes inside, an ETag of their own, and 304 for it",
    async ({ accept, encoding, decode }) => {
      const headers = accept === "" ? {} : { "accept-encoding": accept };
      for (const asked of [path, "/v1/daos/tidewater-credit.example/delegates"]) {
        const plain = await say({ path: asked, key: proKey });
        const answer = await say({ path: asked, key: proKey, headers });
        expect(answer.headers["content-encoding"]).toBe(encoding);
        expect(decode(answer.bytes).toString("utf8")).toBe(plain.text);
        expect(answer.headers["etag"] === plain.headers["etag"]).toBe(encoding === undefined);
        const etag = String(answer.headers["etag"]);
        const again = await say({ path: asked, key: proKey, headers: { ...headers, "if-none-match": etag } });
        expect(again).toMatchObject({ status: 304, text: "", headers: { etag } });
        const head = await say({ path: asked, key: proKey, method: "HEAD", headers });
        expect(comparable(head)).toEqual({ ...comparable(answer), text: "" });
      }
    },
  );

  it("answers for an entity that opted out with the very bytes of one that does not exist", async () => {
    const [optedOut] = stage.world.entities.filter((entity) => entity.isOptedOut);
    const nobody = comparable(await say({ path: `/v1/entities/ent_${"0".repeat(26)}`, key: proKey }));
    const paths = [
      `/v1/entities/${optedOut?.entityId}`,
      `/v1/entities?wallet=${optedOut?.wallets[0]}`,
      `/v1/entities?wallet=0xf1c7${"0".repeat(36)}`,
    ];
    for (const hidden of paths) expect(comparable(await say({ path: hidden, key: proKey }))).toEqual(nobody);
  });

  it("says outside /v1 that it lives and is ready, and what it answers, without a key", async () => {
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"])
      expect(await say({ path })).toMatchObject({ status: 200 });
  });
});

describe("live opt-outs", () => {
  it("are obeyed for all requests from a second after `optout add` or `optout remove` ended", async () => {
    const askFor = (path: string) => say({ path, key: enterpriseKey });
    const { data } = ENVELOPES.dao.parse(JSON.parse((await askFor("/v1/daos/paper-orchard.example")).text));
    const entityId = data.top_entities[0]?.entity_id ?? "none";
    const path = `/v1/entities/${entityId}`;
    for (const [action, before, after] of [
      ["add", 200, 404],
      ["remove", 404, 200],
    ] as const) {
      expect((await askFor(path)).status).toBe(before);
      expect(await runProxyCommand(["optout", action, entityId, ...stage.proxyArgs])).toMatchObject({
        code: 0,
      });
      const heldFromMs = performance.now() + OBEYED_WITHIN_MS;
      let askedMs = 0;
      let status = 0;
      while (askedMs < heldFromMs) {
        askedMs = performance.now();
        ({ status } = await askFor(path));
      }
      expect(status).toBe(after);
    }
  });
});

describe("the same data, published again", () => {
  const bytesOf = (files: PublishedFiles) =>
    files.paths
      .filter((path) => !FILES_OF_THE_RUN.includes(path))
      .map((path) => [path, files.bytes(path).toString("base64")]);

  it("gives the same bytes, and is served without a restart", async () => {
    const again = await stage.govdata("run", "--source", "archive", "--from", stage.archive, "--as-of", asOf);
    expect(again).toMatchObject({ code: 0 });
    const second = publishedFiles(stage.snapshots);
    expect(second.sequence).toBe(published.sequence + 1);
    expect(second.version).not.toBe(published.version);
    expect(bytesOf(second)).toEqual(bytesOf(published));

    const before = await say({ path: "/v1/daos", key: enterpriseKey });
    await expect
      .poll(async () => (await say({ path: "/v1/daos", key: enterpriseKey })).headers["x-snapshot-version"], {
        timeout: 10_000,
      })
      .toBe(second.version);
    const after = await say({ path: "/v1/daos", key: enterpriseKey });
    expect(after.headers["etag"]).toBe(before.headers["etag"]);
  });

  it("stops when it is asked to", async () => {
    expect(await proxy.stop()).toMatchObject({ code: 0 });
  });
});
