import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { SOURCE_IDS } from "../../pipeline/facts/source-table.ts";
import { parseRegistry } from "../../pipeline/registry/registry.ts";
import { ROW_ERROR_CODES } from "../../pipeline/sources/upstream/row-error.ts";
import { openApiText } from "../../proxy/openapi/openapi-document.ts";
import { openApiPath } from "../../proxy/openapi/operations.ts";
import { OPERATOR_EXIT_CODES } from "../../proxy/operator-error.ts";
import { ERROR_CODES, PROBLEMS } from "../../proxy/request/problems.ts";
import { createResponses } from "../../proxy/request/response.ts";
import { ENDPOINTS } from "../../proxy/routes/all.ts";
import { openRoutes } from "../../proxy/server/open-routes.ts";
import { SETTINGS } from "../../proxy/settings.ts";
import { TIERS } from "../../snapshots/format/value-sets.ts";
import { fetchFrom, SPACE } from "../pipeline/sources/archive/small-archive.ts";
import { PROJECT, sourceFiles } from "./source-files.ts";

const readme = (room: string) => readFileSync(join(PROJECT, room, "README.md"), "utf8");

/** Every path that answers, as README and OpenAPI write it. */
const OPEN_ROUTES = openRoutes({
  answers: createResponses(new Set()),
  readiness: () => ({ httpStatus: 200, body: { status: "ready" } }),
});
const PATHS = [...ENDPOINTS.map(({ url }) => url), ...OPEN_ROUTES.map(({ url }) => url)].map(openApiPath);

/** The part of an OpenAPI response where its examples stand. */
type Content = Record<
  string,
  { readonly examples?: Record<string, { readonly value: { readonly error: unknown } }> }
>;

/** Variables that code of these folders names. */
function variablesIn(folder: string): readonly string[] {
  const names = sourceFiles([folder]).flatMap(({ text }) => text.match(/\bGOVDATA_[A-Z_]+\b/g) ?? []);
  return [...new Set(names)].sort();
}

/** What a text does not name as a whole word, so that `/v1/dgi/history` is no mention of `/v1/dgi`. */
function missing(text: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const quoted = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return !new RegExp(`(^|[^\\w/{-])${quoted}(?![\\w{-]|/[\\w{])`, "m").test(text);
  });
}

describe("pipeline/README.md names", () => {
  const text = readme("pipeline");

  it("every folder", () => {
    const folders = readdirSync(join(PROJECT, "pipeline"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(
      missing(
        text,
        folders.map(({ name }) => `${name}/`),
      ),
    ).toEqual([]);
  });

  it("every source, in a row of its own", () => {
    const rows = text.split("\n").filter((line) => line.startsWith("| `"));
    expect(SOURCE_IDS.filter((id) => !rows.some((row) => row.startsWith(`| \`${id}\` |`)))).toEqual([]);
  });
});

it("proxy/COMMANDS.md names every exit code", () => {
  const sentence = readFileSync(join(PROJECT, "proxy/COMMANDS.md"), "utf8").match(
    /Exit codes: ([^.]*)\./,
  )?.[1];
  const codes = new Set([0, ...Object.values(OPERATOR_EXIT_CODES)]);
  expect(missing(sentence ?? "", [...codes].map(String))).toEqual([]);
});

it("the code of the proxy reads no variable that its table lacks", () => {
  expect(variablesIn("proxy")).toEqual(Object.keys(SETTINGS.table).sort());
});

describe("proxy/README.md names", () => {
  const text = readme("proxy");

  it("every folder", () => {
    const folders = readdirSync(join(PROJECT, "proxy"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(
      missing(
        text,
        folders.map(({ name }) => `${name}/`),
      ),
    ).toEqual([]);
  });

  it("every error code", () => {
    expect(missing(text, ERROR_CODES)).toEqual([]);
  });

  it("every path that answers", () => {
    expect(missing(text, PATHS)).toEqual([]);
  });

  it("every endpoint in a row of its own, and no other", () => {
    const rows = [...text.matchAll(/^\| `(\/v1[^`]*)` \|/gm)].map(([, path]) => path);
    expect(rows.sort()).toEqual(ENDPOINTS.map(({ url }) => openApiPath(url)).sort());
    expect(rows.length).toBeGreaterThanOrEqual(9);
  });

  it("every parameter and the lowest tier, in the row of its endpoint", () => {
    const rows = text.split("\n").filter((line) => line.startsWith("| `/v1"));
    for (const { url, lowestTier, parameters } of ENDPOINTS) {
      const row = rows.find((line) => missing(line, [openApiPath(url)]).length === 0) ?? "";
      expect(missing(row, Object.keys(parameters ?? {})), url).toEqual([]);
      expect(row.split("|")[2]?.trim(), url).toMatch(new RegExp(`^${TIERS[lowestTier].name}\\b`));
    }
  });
});

describe("the OpenAPI document names", () => {
  const document = JSON.parse(openApiText());

  it("every path that answers, and no other", () => {
    expect(Object.keys(document.paths).sort()).toEqual([...PATHS].sort());
  });

  it("every parameter of every endpoint, and no other", () => {
    for (const { url, parameters } of ENDPOINTS) {
      const named: readonly { readonly name: string }[] = document.paths[openApiPath(url)].get.parameters;
      const inPath = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(named.map(({ name }) => name)).toEqual([...inPath, ...Object.keys(parameters ?? {})]);
    }
  });

  it("every situation, with its status, code and message", () => {
    const told = new Map<string, { readonly status: number; readonly error: unknown }>();
    const operations = [
      ...Object.values<{ get: object }>(document.paths).map(({ get }) => get),
      ...Object.values<object>(document["x-other-requests"]),
    ] as { responses: Record<string, { $ref?: string; content?: Content }> }[];
    for (const { responses } of operations)
      for (const [status, { $ref, content }] of Object.entries(responses)) {
        const shared: Content | undefined =
          document.components.responses[$ref?.split("/").pop() ?? ""]?.content;
        const examples = (content ?? shared)?.["application/json"]?.examples ?? {};
        for (const [name, { value }] of Object.entries(examples))
          told.set(name, { status: Number(status), error: value.error });
      }
    const situations = Object.entries(PROBLEMS).map(([name, { status, code, message }]) => [
      name,
      { status, error: { code, message } },
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(situations));
  });
});

describe("README.md names", () => {
  const text = readme(".");

  it("every room, with a document of its own", () => {
    const rooms = readdirSync(PROJECT, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .filter((name) => !["dist", "node_modules"].includes(name));
    expect(rooms.sort()).toEqual(["fixtures", "pipeline", "proxy", "snapshots", "test"]);
    for (const room of rooms) {
      const document = room === "test" ? ".github/CONTRIBUTING.md" : `${room}/README.md`;
      expect(text, room).toContain(`[${room}/](`);
      expect(text, room).toContain(`](${document})`);
      expect(readFileSync(join(PROJECT, document), "utf8").length, room).toBeGreaterThan(100);
    }
  });

  it("only scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
      scripts: object;
    };
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((match) => match[1] ?? "");
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("one picture, which is small, and says in words what it shows", () => {
    const shown = [...text.matchAll(/!\[([^\]]*)\]\(([^)]+\.png)\)/g)];
    expect(shown.length).toBe(1);
    for (const [, words = "", path = ""] of shown) {
      expect(words.length, path).toBeGreaterThan(40);
      const bytes = readFileSync(join(PROJECT, path));
      expect([bytes.readUInt32BE(16), bytes.length <= 300 * 1024], path).toEqual([1680, true]);
    }
  });
});

describe("fixtures/README.md", () => {
  const text = readme("fixtures");
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(
      (match) => match[1] ?? "",
    );

  it.each([...ROW_ERROR_CODES, "DUPLICATE_VOTE", "VOTE_OUTSIDE_WINDOW", "CHOICE_UNREADABLE"])(
    "explains %s",
    (code) => {
      expect(text).toContain(`\`${code}\``);
    },
  );

  it("shows rows that are taken", async () => {
    const [proposal = "", vote = "", list = "", ...others] = blocks("json");
    expect(others).toEqual([]);
    // An id is shortened in print.
    const written = (row: string) => row.replace("0x51…", "0x51").replace("0x9a…", "0x9a");
    const sink = await fetchFrom({
      [`proposals/${SPACE}.ndjson`]: written(proposal),
      [`votes/${SPACE}.ndjson`]: written(vote),
      [`delegates/${SPACE}/2025-03-01.json`]: list,
    });
    expect(sink.rejections).toEqual([]);
    expect([sink.proposals.length, sink.ballots[0]?.count, sink.lists[0]?.delegates.length]).toEqual([
      1, 1, 1,
    ]);
  });

  it("shows a registry that is valid", () => {
    const [registry = ""] = blocks("yaml");
    expect(parseRegistry(registry, "README.md")).toMatchObject({
      daos: [{ spaceId: "harbour.example" }],
      entities: [{}],
    });
  });
});

test.each([
  { why: "a word is there", text: "- `run`: all of it", name: "run", is: [] },
  { why: "a part of a longer word is no mention", text: "a runner runs re-run", name: "run", is: ["run"] },
  {
    why: "a longer path is no mention of a shorter",
    text: "`/v1/dgi/history`",
    name: "/v1/dgi",
    is: ["/v1/dgi"],
  },
  { why: "nor one with an id", text: "`/v1/daos/{space_id}`", name: "/v1/daos", is: ["/v1/daos"] },
  { why: "a path is there", text: "| `/v1/dgi` | pro |", name: "/v1/dgi", is: [] },
  {
    why: "another variable is no mention",
    text: "`GOVDATA_HOME_DIR`",
    name: "GOVDATA_HOME",
    is: ["GOVDATA_HOME"],
  },
  { why: "a folder is there", text: "| `run/` | one |", name: "run/", is: [] },
])("the rule: $why", ({ text, name, is }) => {
  expect(missing(text, [name])).toEqual(is);
});
