import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  chainRecordFile,
  lineOfAnswer,
  openChainRecord,
} from "../../../../pipeline/sources/archive/chain-record.ts";
import { callContracts } from "../../../../pipeline/sources/governor/contract-calls.ts";
import {
  type RpcCall,
  type RpcOutcome,
  type RpcRefusal,
  rpcRefusal,
} from "../../../../pipeline/sources/governor/rpc.ts";

const CALL = { method: "eth_call", params: [{ to: "0x01", data: "0x02" }, "latest"] };
const CANARY = "canary-5f2e";

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

/** What comes back of an outcome that was written down. */
async function replayed(method: string, outcome: RpcOutcome): Promise<RpcOutcome | undefined> {
  const call = { method, params: [] };
  const { rpc, close } = await recordOf(`${lineOfAnswer(call, outcome)}\n`);
  const [answer] = await rpc.callMany([call]);
  close();
  return answer;
}
const refusal = (code: number, detail: string) => ({
  kind: "refused" as const,
  error: rpcRefusal("eth_call", code, detail),
});
/** What the reading makes of a refusal: the contract's own end, or the node's refusal. */
const meaning = async (outcome: RpcOutcome | undefined) => {
  const rpc = { call: async () => undefined, callMany: async () => [outcome ?? refusal(0, "none")] };
  return callContracts(rpc, [{ to: "0x01", data: "0x02" }]).then(
    () => "reverted",
    (error: RpcRefusal) => `refused with ${error.data.code}`,
  );
};

describe("lineOfAnswer", () => {
  it.each([
    { why: "a revert by its code", code: 3, detail: `at ${CANARY}`, want: "reverted" },
    { why: "a revert in words", code: -32_000, detail: "execution reverted: no", want: "reverted" },
    { why: "a revert in capitals", code: -32_015, detail: `VM Execution error ${CANARY}`, want: "reverted" },
    { why: "an invalid opcode", code: -32_000, detail: "invalid opcode: 0xfe", want: "reverted" },
    { why: "an invalid jump", code: 0, detail: "InvalidJump", want: "reverted" },
    { why: "no gas left", code: 0, detail: "out of gas", want: "reverted" },
    { why: "a bad instruction", code: 0, detail: "Bad instruction fe", want: "reverted" },
    { why: "a stack underflow", code: 0, detail: "stack underflow (0 <=> 1)", want: "reverted" },
    { why: "deep recursion", code: -32_000, detail: "StackOverflow", want: "reverted" },
    { why: "a revert of OpenEthereum", code: -32_015, detail: "Reverted 0x", want: "reverted" },
    { why: "an old assert", code: -32_003, detail: "EVM error InvalidFEOpcode", want: "reverted" },
    { why: "no gas left, to Besu", code: -32_000, detail: "OutOfGas", want: "reverted" },
    { why: "no such method", code: -32_601, detail: "method not found", want: "refused with -32601" },
    { why: "a node that lags", code: -32_000, detail: "header not found", want: "refused with -32000" },
    {
      why: "a fault of ours",
      code: -32_602,
      detail: "invalid argument 0: json",
      want: "refused with -32602",
    },
    { why: "a refusal", code: -32_005, detail: `limit of ${CANARY}`, want: "refused with -32005" },
    { why: "a refusal without words", code: -32_603, detail: "", want: "refused with -32603" },
  ])("keeps what $why means, and none of the other words", async ({ code, detail, want }) => {
    const outcome = refusal(code, detail);
    expect(await meaning(outcome)).toBe(want);
    expect(await meaning(await replayed("eth_call", outcome))).toBe(want);
    expect(lineOfAnswer(CALL, outcome)).not.toContain(CANARY);
  });

  const LOG = {
    address: "0x01",
    topics: ["0x02"],
    data: "0x",
    blockNumber: "0x5",
    blockHash: "0x06",
    logIndex: "0x0",
    blockTimestamp: "0x7",
    removed: false,
  };
  const BLOCK = { number: "0x5", hash: "0x06", timestamp: "0x7" };
  it.each([
    { why: "logs", method: "eth_getLogs", result: [{ ...LOG, from: CANARY }, LOG], want: [LOG, LOG] },
    { why: "no logs", method: "eth_getLogs", result: [], want: [] },
    { why: "what are no logs", method: "eth_getLogs", result: CANARY, want: null },
    { why: "what is no log", method: "eth_getLogs", result: [CANARY], want: [null] },
    {
      why: "a block",
      method: "eth_getBlockByNumber",
      result: { ...BLOCK, transactions: [CANARY], extraData: CANARY },
      want: BLOCK,
    },
    { why: "a block that is not there", method: "eth_getBlockByNumber", result: null, want: null },
    { why: "hex", method: "eth_call", result: "0x00ff", want: "0x00ff" },
    { why: "no hex at all", method: "eth_getCode", result: "0x", want: "0x" },
    { why: "other text", method: "eth_call", result: `0x ${CANARY}`, want: null },
    { why: "an object where there is none", method: "eth_chainId", result: { key: CANARY }, want: null },
  ])("keeps of $why what is read", async ({ method, result, want }) => {
    const outcome: RpcOutcome = { kind: "result", result };
    expect(await replayed(method, outcome)).toEqual({ kind: "result", result: want });
    expect(lineOfAnswer({ method, params: [] }, outcome)).not.toContain(CANARY);
  });
});

it("reads the answers that fixtures/README.md shows", async () => {
  const readme = readFileSync(new URL("../../../../fixtures/README.md", import.meta.url), "utf8");
  const text = readme.split("```ndjson\n")[1]?.split("\n```")[0] ?? "";
  const { rpc, close } = await recordOf(`${text}\n`);
  const answers = await rpc.callMany(text.split("\n").map((line) => JSON.parse(line) as RpcCall));
  close();
  expect(answers.map(({ kind }) => kind)).toEqual(["result", "refused"]);
});

it("names the file of a DAO by the registry's words", () => {
  expect(chainRecordFile(10, "sample.eth")).toBe("chains/10/sample.eth.ndjson");
});

describe("open chain record", () => {
  const code = (address: string): RpcCall => ({ method: "eth_getCode", params: [address, "latest"] });
  const answered = (result: unknown): RpcOutcome => ({ kind: "result", result });
  const lines = (...rows: readonly (readonly [RpcCall, RpcOutcome])[]) =>
    rows.map(([call, outcome]) => `${lineOfAnswer(call, outcome)}\n`).join("");

  describe("openChainRecord", () => {
    it("answers each question with its own answer, in any order, and asks twice for what was asked twice", async () => {
      const refused = rpcRefusal("eth_getCode", -32_005, 'execution reverted for "0x1"');
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
        data: { code: -32_005, detail: "revert" },
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
        fc.tuple(
          fc.string({ unit: "grapheme" }),
          fc.string({ unit: fc.constantFrom(..."0123456789abcdef") }),
        ),
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
});
