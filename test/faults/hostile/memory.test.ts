import { spawn } from "node:child_process";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { httpSettings } from "../../../pipeline/sources/http/http-settings.ts";
import { type LoopbackServer, openLoopbackServer } from "../../pipeline/sources/http/loopback-server.ts";
import { compileCopy } from "../../support/compiled-copy.ts";
import { closedProposal, NOW_S } from "../../support/fake-hub/sample-space.ts";

const CHILD = fileURLToPath(new URL("./memory-child.ts", import.meta.url));
const PEAK_MB_MAX = 512;
/** What the door lets in at once, nearly. */
const { responseBytesMax, jsonValuesMax } = httpSettings({});
const BYTES = responseBytesMax - 10_000;
const VALUES = jsonValuesMax - 1_000;

const repeat = (item: string, count: number) => Array<string>(count).fill(item).join(",");
const count = (length: number, item: (n: number) => string) =>
  Array.from({ length }, (_, n) => item(n)).join(",");
const space = (more: string) => `{"data":{"space":{"id":"sample.eth",${more}}}}`;
const proposals = (list: string) => `{"data":{"space":{"id":"sample.eth"},"proposals":[${list}]}}`;
/** Proposals with links that nobody else has, for ever. */
let linked = 0;
const endlessLinks = () =>
  proposals(
    count(150, () => {
      linked += 1;
      const discussion = `${linked} ${"あ".repeat(20_000)}`;
      return JSON.stringify(closedProposal(`0x${linked}`, { space: null, discussion, created: NOW_S }));
    }),
  );

/** The largest answers that get past the door: what is made of them must stay small. */
const ANSWERS: Readonly<Record<string, () => string>> = {
  "hub/errors": () => `{"errors":[${repeat("1", VALUES)}]}`,
  "hub/complaint": () => `{"errors":[{"message":"${"あ".repeat(BYTES / 3)}"}]}`,
  "hub/administrators": () => space(`"admins":[${repeat("1", VALUES)}]`),
  "hub/name": () => space(`"name":"${"あ".repeat(BYTES / 3)}"`),
  "hub/fields": () => `{"data":{${count(VALUES, (n) => `"${n}${"k".repeat(25)}":1`)}}}`,
  "hub/shapes": () =>
    space(`"admins":[${count(VALUES / 5, (n) => `{"a${n}":1,"b${n}":1,"c${n}":1,"d${n}":1}`)}]`),
  "hub/rows": () => proposals(repeat("1", VALUES)),
  "hub/objects": () => proposals(repeat("{}", VALUES / 2 - 1)),
  "hub/links": endlessLinks,
  "node/results": () => `{"id":1,"result":[${repeat("1", VALUES)}]}`,
  "node/batch": () => `[${repeat("{}", VALUES / 2)}]`,
  "node/words": () => `{"id":1,"error":{"code":-32000,"message":"${"あ".repeat(BYTES / 3)}"}}`,
};
/** 300 MB out of less than 400 kB: a member for every megabyte. */
const BOMB = Buffer.concat(Array<Buffer>(300).fill(gzipSync(Buffer.alloc(1_000_000, " "))));

let server: LoopbackServer;
beforeAll(async () => {
  server = await openLoopbackServer((response, _index, { path }) => answer(response, path.slice(1)));
});
afterAll(() => server.close());

function answer(response: ServerResponse, name: string): void {
  if (name.endsWith("bomb")) {
    response.writeHead(200, { "content-encoding": "gzip" }).end(BOMB);
  } else response.end(ANSWERS[name]?.() ?? "{}");
}

it(`no answer of a hub or a node takes ${PEAK_MB_MAX} MB, one after the other and four at once`, async () => {
  const names = ["hub/bomb", "node/bomb", ...Object.keys(ANSWERS)];
  const fourTimes = (name: string) => [name, name, name, name];
  const groups = [...names.map((name) => [name]), ...["hub/fields", "hub/name"].map(fourTimes)];
  const lines = await run(groups.map((group) => group.map((name) => `${server.origin}/${name}`).join(",")));
  expect(lines).toHaveLength(groups.length);
  for (const [index, { ends, peakMb }] of lines.entries()) {
    const group = groups[index] ?? [];
    for (const end of ends) expect(end, group[0]).toMatch(/^SOURCE_FAILED /);
    expect(peakMb, group.join(" ")).toBeLessThan(PEAK_MB_MAX);
  }
  process.stdout.write(`hostile answers: at most ${lines.at(-1)?.peakMb} MB\n`);
});

interface Line {
  readonly ends: readonly string[];
  readonly peakMb: number;
}

/** The lines that a process of its own writes about these addresses. */
async function run(urls: readonly string[]): Promise<readonly Line[]> {
  const child = spawn(process.execPath, [compileCopy(CHILD), ...urls], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}
