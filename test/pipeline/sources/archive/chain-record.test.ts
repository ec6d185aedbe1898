import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { lineOfAnswer, openChainRecord } from "../../../../pipeline/sources/archive/chain-record.ts";
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

const FILE = "chains/1/sample.eth.ndjson";
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
    ["a revert by its code", 3, `at ${CANARY}`, "reverted"],
    ["a revert in words", -32_000, "execution reverted: no", "reverted"],
    ["a revert in capitals", -32_015, `VM Execution error ${CANARY}`, "reverted"],
    ["an invalid opcode", -32_000, "invalid opcode: 0xfe", "reverted"],
    ["an invalid jump", 0, "InvalidJump", "reverted"],
    ["no gas left", 0, "out of gas", "reverted"],
    ["a bad instruction", 0, "Bad instruction fe", "reverted"],
    ["a stack underflow", 0, "stack underflow (0 <=> 1)", "reverted"],
    ["deep recursion", -32_000, "StackOverflow", "reverted"],
    ["a revert of OpenEthereum", -32_015, "Reverted 0x", "reverted"],
    ["an old assert", -32_003, "EVM error InvalidFEOpcode", "reverted"],
    ["no gas left, to Besu", -32_000, "OutOfGas", "reverted"],
    ["no such method", -32_601, "method not found", "refused with -32601"],
    ["a node that lags", -32_000, "header not found", "refused with -32000"],
    ["a fault of ours", -32_602, "invalid argument 0: json", "refused with -32602"],
    ["a refusal", -32_005, `limit of ${CANARY}`, "refused with -32005"],
    ["a refusal without words", -32_603, "", "refused with -32603"],
  ])("keeps what %s means, and none of the other words", async (_why, code, detail, want) => {
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
  it.each<readonly [why: string, method: string, result: unknown, want: unknown]>([
    ["logs", "eth_getLogs", [{ ...LOG, from: CANARY }, LOG], [LOG, LOG]],
    ["no logs", "eth_getLogs", [], []],
    ["what are no logs", "eth_getLogs", CANARY, null],
    ["what is no log", "eth_getLogs", [CANARY], [null]],
    ["a block", "eth_getBlockByNumber", { ...BLOCK, transactions: [CANARY], extraData: CANARY }, BLOCK],
    ["a block that is not there", "eth_getBlockByNumber", null, null],
    ["hex", "eth_call", "0x00ff", "0x00ff"],
    ["no hex at all", "eth_getCode", "0x", "0x"],
    ["other text", "eth_call", `0x ${CANARY}`, null],
    ["an object where there is none", "eth_chainId", { key: CANARY }, null],
  ])("keeps of %s what is read", async (_why, method, result, want) => {
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

describe("openChainRecord", () => {
  const code = (address: string): RpcCall => ({ method: "eth_getCode", params: [address, "latest"] });
  const answered = (result: unknown): RpcOutcome => ({ kind: "result", result });
  const lines = (...rows: readonly (readonly [RpcCall, RpcOutcome])[]) =>
    rows.map(([call, outcome]) => `${lineOfAnswer(call, outcome)}\n`).join("");

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
    for (const answer of ["0x01", "0x02", "0x03", "0x03"]) expect(await ask("0x0a")).toBe(answer);
    const both = [{ kind: "result", result: "0x03" }, { kind: "refused" }];
    expect(await rpc.callMany([code("0x0a"), code("0x0b")])).toMatchObject(both);
    await close();
  });

  it("finds every answer, whatever stands between them", async () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789abcdef") });
    const answer = fc.tuple(fc.string({ unit: "grapheme" }), digits);
    const answers = fc.uniqueArray(answer, { selector: ([question]) => question, maxLength: 20 });
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
  it.each<readonly [why: string, text: string | Uint8Array, says: string]>([
    ["no JSON", `${GOOD}{`, `${FILE}: line 2 is not a recorded answer`],
    ["cut in the middle of a row", GOOD.slice(0, -3), "line 1 is not a recorded answer"],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22, 10]), "line 1 is"],
    ["no answer", '{"method":"eth_chainId","params":[]}\n', "line 1 is"],
    ["an answer and a refusal", GOOD.replace("}", ',"error":{"code":1,"words":""}}'), "line 1"],
    ["no object", "[]\n", "line 1 is"],
    ["deeper than anything a node says", `${"[".repeat(90)}\n`, "line 1 is"],
  ])("fails where a line is %s", async (_why, text, says) => {
    const message = expect.stringContaining(says);
    const opening = openChainRecord(archiveOf(text), FILE);
    await expect(opening).rejects.toMatchObject({ code: "SOURCE_FAILED", message });
  });

  it.each<readonly [why: string, method: string, params: readonly unknown[]]>([
    ["another method", "eth_call", ["0x0a", "latest"]],
    ["other parameters", "eth_getCode", ["0x0a", "0x1"]],
    ["fewer parameters", "eth_getCode", ["0x0a"]],
  ])("fails at a question that was never asked: %s", async (_why, method, params) => {
    const { rpc, close } = await recordOf(GOOD);
    const message = expect.stringContaining(`${FILE} holds no answer to ${method}`);
    const failure = { code: "SOURCE_FAILED", message };
    await expect(rpc.call(method, params)).rejects.toMatchObject(failure);
    await expect(rpc.callMany([code("0x0a"), { method, params }])).rejects.toMatchObject(failure);
    close();
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
