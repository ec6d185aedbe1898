import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openApiText } from "../../../proxy/openapi/openapi-document.ts";
import { ListMeta as LIST_META, ScoreMeta as SCORE_META } from "../../../snapshots/format/envelope.ts";
import { DAILY_REQUESTS } from "../../../snapshots/format/limits.ts";
import { PROJECT } from "../../rules/source-files.ts";
import { openApiViolations, type SeenAnswer } from "../../support/openapi-validator.ts";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const document = JSON.parse(openApiText());
const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Every object of the document, with where it stands. */
function objectsIn(node: unknown, path = "#"): readonly (readonly [string, Record<string, unknown>])[] {
  if (typeof node !== "object" || node === null) return [];
  const below = Object.entries(node).flatMap(([name, value]) => objectsIn(value, `${path}/${name}`));
  return Array.isArray(node) ? below : [[path, node as Record<string, unknown>], ...below];
}

describe("the document", () => {
  it("holds no shape but ours, whatever else has ids in this process", () => {
    const strangers = ["ReasonCode", "Stranger"].map((id) => z.strictObject({ id: z.string() }).meta({ id }));
    try {
      expect(JSON.parse(openApiText())).toEqual(document);
    } finally {
      for (const stranger of strangers) z.globalRegistry.remove(stranger);
    }
  });

  it("is OpenAPI 3.1 of the contract's version, and asks for a key in x-api-key", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } } },
      "x-requests-a-day": DAILY_REQUESTS,
    });
    for (const [path, { get }] of Object.entries<{ get: { security?: unknown; "x-lowest-tier"?: string } }>(
      document.paths,
    )) {
      expect(get.security, path).toEqual(path.startsWith("/v1") ? undefined : []);
      expect(get["x-lowest-tier"] !== undefined, path).toBe(path.startsWith("/v1"));
    }
  });

  it("has the same bytes every time, on stdout too", async () => {
    expect(`${JSON.stringify(JSON.parse(openApiText()), null, 2)}\n`).toBe(openApiText());
    expect(await runProxyCommand(["openapi", "--home", join(folder, "nothing-here")])).toEqual({
      code: 0,
      stdout: openApiText(),
      stderr: "",
    });
  });

  it("names no machine and no secret", () => {
    expect(openApiText()).not.toMatch(/gvk_|localhost|127\.0\.0\.1|\/home\/|\/tmp|https?:/);
  });

  it("shows how far scores are known by examples of their own shape, as the guide for callers does", () => {
    const { ListMeta, ScoreMeta } = document.components.schemas;
    const [list, score] = [LIST_META.parse(ListMeta.examples[0]), SCORE_META.parse(ScoreMeta.examples[0])];
    const [listed] = Object.values(list.by_space_id ?? {});
    const { interval: { risk: _risk, ...interval } = {}, ...certainty } = score;
    expect({ ...certainty, interval }).toMatchObject(listed ?? {});
    const [, block = ""] =
      /^```json\n([\s\S]*?)^```$/m.exec(readFileSync(join(PROJECT, "proxy/CALLING.md"), "utf8")) ?? [];
    expect(JSON.parse(block)).toEqual(listed);
  });

  it("describes of the graph nothing but refusals, each with its code", () => {
    const { responses } = document.paths["/v1/daos/{space_id}/graph"].get;
    expect(Object.keys(responses).filter((status) => Number(status) < 400)).toEqual([]);
    const { schema } = responses["404"].content["application/json"];
    expect(schema.properties.error.properties.code).toMatchObject({ enum: ["NOT_FOUND"] });
  });

  it("closes every object whose fields it knows", () => {
    const open = objectsIn(document.components.schemas)
      .filter(
        ([, schema]) => schema["type"] === "object" && (schema["additionalProperties"] ?? true) === true,
      )
      .map(([path]) => path);
    expect(open).toEqual([]);
  });

  it("refers only to what is there, and needs every field that is not optional", () => {
    const references = objectsIn(document).flatMap(([, { $ref }]) =>
      typeof $ref === "string" ? [$ref] : [],
    );
    expect(references.length).toBeGreaterThan(300);
    for (const reference of new Set(references)) {
      const target = reference
        .slice(2)
        .split("/")
        .reduce((node, step) => node?.[step], document);
      expect(target, reference).toBeDefined();
    }
    const { required, properties } = document.components.schemas.DelegateItem;
    expect(Object.keys(properties).filter((name) => !required.includes(name))).toEqual(["ens"]);
  });

  it.each(Object.keys(document.components.schemas))("says what %s and each of its fields is", (name) => {
    const { description, properties = {} } = document.components.schemas[name];
    expect(description).toMatch(/\.$/);
    for (const [field, schema] of Object.entries<{ description?: string }>(properties))
      expect(schema.description, field).toMatch(/\.$/);
  });

  it("has a name for every answer, and for every object within one", () => {
    const schemas = Object.entries<Record<string, unknown>>(document.components.schemas);
    expect(schemas.length).toBeGreaterThan(45);
    const nameless = schemas.flatMap(([name, schema]) =>
      objectsIn(schema["properties"], name).filter(
        ([, part]) => part["type"] === "object" && "properties" in part,
      ),
    );
    expect(nameless.map(([path]) => path)).toEqual([]);
  });

  it.each([
    {
      url: "/v1/daos/{space_id}/delegates",
      name: "limit",
      is: { type: "integer", enum: [10, 20, 50, 100], default: 10 },
    },
    { url: "/v1/daos/{space_id}/delegates", name: "tier", is: { type: "string", enum: ["T1", "T2", "T3"] } },
    {
      url: "/v1/dgi/history",
      name: "period",
      is: { type: "string", enum: ["30d", "90d", "365d"], default: "30d" },
    },
    { url: "/v1/entities", name: "wallet", is: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" } },
  ])("tells what $name of $url may be, as the contract does", ({ url, name, is }) => {
    const { parameters } = document.paths[url].get as {
      parameters: readonly { name: string; schema: object }[];
    };
    expect(parameters.find((parameter) => parameter.name === name)?.schema).toEqual(is);
  });

  it("passes Redocly's strictest rules, but for the graph, which answers nothing yet", async () => {
    const file = join(folder, "openapi.json");
    writeFileSync(file, openApiText());
    const program = require.resolve("@redocly/cli/package.json").replace("package.json", "bin/cli.js");
    const config = join(import.meta.dirname, "redocly.yaml");
    const { stdout } = await run(
      process.execPath,
      [program, "lint", file, "--config", config, "--format", "json"],
      {
        cwd: folder,
        // Nobody is told that it ran, and nobody is asked for a newer one.
        env: { HOME: folder, CI: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      },
    ).catch((error: { stdout: string }) => error);
    const { problems } = JSON.parse(stdout) as {
      problems: readonly { ruleId: string; location: readonly { pointer: string }[] }[];
    };
    expect(problems.map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual([
      ["operation-2xx-response", "#/paths/~1v1~1daos~1{space_id}~1graph/get/responses"],
    ]);
  });
});

const COMPONENTS = { hpr: 5, dei: 5, pdi: 5, gpi: 5 };
const DATA = {
  composite: 5,
  components: COMPONENTS,
  dao_count: 3,
  calculated_at: "2026-03-31T23:59:59.999Z",
};
const META = { methodology_version: "1.0.0", as_of: "2026-03-31T23:59:59.999Z" };
const text = (data: object, meta: object = META) => `${JSON.stringify({ data, meta })}\n`;

const GOOD: SeenAnswer = {
  method: "GET",
  target: "/v1/dgi",
  status: 200,
  headers: {
    date: "now",
    "content-type": "application/json; charset=utf-8",
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
    vary: "x-api-key, accept-encoding",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-request-id": "0".repeat(24),
    etag: `"${"0".repeat(32)}"`,
    "x-snapshot-version": "20260401T010000Z-9dab89c3",
    "ratelimit-policy": '"daily";q=100;w=86400',
    ratelimit: '"daily";r=99;t=10',
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "99",
    "x-ratelimit-reset": "1775088000",
  },
  body: text(DATA),
};
const withHeaders = (headers: SeenAnswer["headers"]): SeenAnswer => ({
  ...GOOD,
  headers: { ...GOOD.headers, ...headers },
});

describe("the check itself", () => {
  it.each([
    { why: "a status that is not described", seen: { ...GOOD, status: 418 } },
    { why: "a header that is not described", seen: withHeaders({ server: "x" }) },
    { why: "a header that is missing", seen: withHeaders({ etag: undefined }) },
    { why: "a header of a wrong form", seen: withHeaders({ etag: 'W/"0"' }) },
    { why: "a field too many", seen: { ...GOOD, body: text({ ...DATA, extra: 1 }) } },
    { why: "a field too few", seen: { ...GOOD, body: text({ composite: 5 }) } },
    { why: "an answer to a parameter that is not taken", seen: { ...GOOD, target: "/v1/dgi?x=1" } },
    { why: "the data of another endpoint", seen: { ...GOOD, target: "/v1/dgi/history" } },
    { why: "a body to HEAD", seen: { ...GOOD, method: "HEAD" } },
    { why: "a good answer to another method", seen: { ...GOOD, method: "POST" } },
    {
      why: "a code that this status does not have",
      seen: { ...GOOD, status: 404, body: '{"error":{"code":"INTERNAL_ERROR","message":"x"}}' },
    },
  ])("finds $why, and nothing in a good answer", ({ seen }) => {
    expect(openApiViolations(GOOD)).toEqual([]);
    expect(openApiViolations(seen)).not.toEqual([]);
  });
});
