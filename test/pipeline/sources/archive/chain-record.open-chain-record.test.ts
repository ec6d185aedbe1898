import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  chainRecordFile,
  lineOfAnswer,
  openChainRecord,
} from "../../../../pipeline/sources/archive/chain-record.ts";
import type { RpcCall, RpcOutcome } from "../../../../pipeline/sources/governor/rpc.ts";
import { rpcRefusal } from "../../../../pipeline/sources/governor/rpc.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-chain-record-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const FILE = chainRecordFile(1, "sample.eth");
let count = 0;

/** An archive whose record holds this text. */
function archiveOf(text: string | Uint8Array): string {
  count += 1;
  const directory = join(root, String(count));
  mkdirSync(join(directory, "chains", "1"), { recursive: true });
  writeFileSync(join(directory, FILE), text);
  return directory;
}

async function recordOf(text: string | Uint8Array) {
  const record = await openChainRecord(archiveOf(text), FILE);
  if (record === undefined) throw new Error("there is no record");
  return record;
}

const code = (address: string): RpcCall => ({ method: "eth_getCode", params: [address, "latest"] });
const answered = (result: unknown): RpcOutcome => ({ kind: "result", result });
const lines = (...rows: readonly (readonly [RpcCall, RpcOutcome])[]) =>
  rows.map(([call, outcome]) => `${lineOfAnswer(call, outcome)}\n`).join("");

describe("openChainRecord", () => {
  it("answers each question with its own answer, in any order, and asks twice for what was asked twice", async () => {
    const refused = rpcRefusal("eth_getCode", -32_005, "take [0x1, 0x2]");
    const { rpc, close } = await recordOf(
      `\uFEFF${lines(
        [code("0x0a"), answered("0x01")],
        [code("0x0b"), { kind: "refused", error: refused }],
        [code("0x0a"), answered("0x02")],
        [code("0x0a"), answered("0x03")],
        [{ method: "eth_getBlockByNumber", params: ["0x5", false] }, answered(null)],
      )}`,
    );
    const ask = (address: string) => rpc.call("eth_getCode", [address, "latest"]);
    expect(await rpc.call("eth_getBlockByNumber", ["0x5", false])).toBeNull();
    await expect(ask("0x0b")).rejects.toMatchObject({
      code: "RPC_REFUSED",
      data: { code: -32_005, detail: "[0x1, 0x2]" },
    });
    expect([await ask("0x0a"), await ask("0x0a"), await ask("0x0a"), await ask("0x0a")]).toEqual([
      "0x01",
      "0x02",
      "0x03",
      "0x03",
    ]);
    expect(await rpc.callMany([code("0x0a"), code("0x0b")])).toMatchObject([
      { kind: "result", result: "0x03" },
      { kind: "refused" },
    ]);
    await close();
  });

  it("finds every answer, whatever stands between them", async () => {
    const answers = fc.uniqueArray(
      fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: fc.constantFrom(..."0123456789abcdef") })),
      {
        selector: ([question]) => question,
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom("", "\n", "\r\n\n", " \n"), async (rows, between) => {
        const text = rows
          .map(([question, hex]) => lines([code(question), answered(`0x${hex}`)]))
          .join(between);
        const { rpc, close } = await recordOf(text);
        const outcomes = await rpc.callMany(rows.map(([question]) => code(question)).reverse());
        await close();
        expect(outcomes).toEqual(rows.map(([, hex]) => answered(`0x${hex}`)).reverse());
      }),
      { numRuns: 30 },
    );
  });

  it("is nothing where there is no such file", async () => {
    expect(await openChainRecord(root, FILE)).toBeUndefined();
  });

  const GOOD = lines([code("0x0a"), answered("0x01")]);
  it.each([
    { why: "no JSON", text: `${GOOD}{`, says: `${FILE}: line 2 is not a recorded answer` },
    { why: "cut in the middle of a row", text: GOOD.slice(0, -3), says: "line 1 is not a recorded answer" },
    { why: "no UTF-8", text: Buffer.from([0x22, 0xff, 0x22, 10]), says: "line 1 is" },
    { why: "no answer", text: '{"method":"eth_chainId","params":[]}\n', says: "line 1 is" },
    {
      why: "an answer and a refusal",
      text: GOOD.replace("}", ',"error":{"code":1,"words":""}}'),
      says: "line 1",
    },
    { why: "no object", text: "[]\n", says: "line 1 is" },
    { why: "deeper than anything a node says", text: `${"[".repeat(90)}\n`, says: "line 1 is" },
  ])("fails where a line is $why", async ({ text, says }) => {
    await expect(openChainRecord(archiveOf(text), FILE)).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: expect.stringContaining(says),
    });
  });

  it.each([
    { why: "another method", call: { method: "eth_call", params: ["0x0a", "latest"] } },
    { why: "other parameters", call: { method: "eth_getCode", params: ["0x0a", "0x1"] } },
    { why: "fewer parameters", call: { method: "eth_getCode", params: ["0x0a"] } },
  ])("fails at a question that was never asked: $why", async ({ call }) => {
    const { rpc, close } = await recordOf(GOOD);
    const message = expect.stringContaining(`${FILE} holds no answer to ${call.method}`);
    await expect(rpc.call(call.method, call.params)).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message,
    });
    await expect(rpc.callMany([code("0x0a"), call])).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message,
    });
    await close();
  });

  it("fails where the file is changed while it is read", async () => {
    const directory = archiveOf(GOOD);
    const record = await openChainRecord(directory, FILE);
    writeFileSync(join(directory, FILE), GOOD.replace("0x0a", "0x0b"));
    await expect(record?.rpc.call("eth_getCode", ["0x0a", "latest"])).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `${FILE} changed while it was being read`,
    });
    record?.close();
  });
});
