import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  answerOfLine,
  chainRecordFile,
  lineOfAnswer,
  questionKey,
} from "../../../../pipeline/sources/archive/chain-record.ts";
import { callContracts } from "../../../../pipeline/sources/governor/contract-calls.ts";
import { hintedEnd } from "../../../../pipeline/sources/governor/node-log.ts";
import type { RpcOutcome } from "../../../../pipeline/sources/governor/rpc.ts";
import { type RpcRefusal, rpcRefusal } from "../../../../pipeline/sources/governor/rpc.ts";

const CALL = { method: "eth_call", params: [{ to: "0x01", data: "0x02" }, "latest"] };
const CANARY = "canary-5f2e";

/** What comes back of an outcome that was written down. */
const replayed = (method: string, outcome: RpcOutcome) =>
  answerOfLine(JSON.parse(lineOfAnswer({ method, params: [] }, outcome)))?.outcome;
const refusal = (code: number, detail: string) => ({
  kind: "refused" as const,
  error: rpcRefusal("eth_call", code, detail),
});
/** What the reading makes of a refusal: the contract's own end, or the node's refusal. */
const meaning = async (outcome: RpcOutcome | undefined) => {
  const rpc = { call: async () => undefined, callMany: async () => [outcome ?? refusal(0, "none")] };
  return callContracts(rpc, [{ to: "0x01", data: "0x02" }], "latest").then(
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
    { why: "a refusal", code: -32_005, detail: `limit of ${CANARY}`, want: "refused with -32005" },
    { why: "a refusal without words", code: -32_603, detail: "", want: "refused with -32603" },
  ])("keeps what $why means, and none of the other words", async ({ code, detail, want }) => {
    const outcome = refusal(code, detail);
    expect(await meaning(outcome)).toBe(want);
    expect(await meaning(replayed("eth_call", outcome))).toBe(want);
    expect(lineOfAnswer(CALL, outcome)).not.toContain(CANARY);
  });

  it("keeps the range that a node proposes", () => {
    const detail = `https://node.example/${CANARY}: try with this block range [0x10, 0x2F].`;
    const outcome = replayed("eth_getLogs", refusal(-32_005, detail));
    if (outcome?.kind !== "refused") throw new Error("not a refusal");
    expect(hintedEnd(outcome.error.data.detail, { from: 0x10, to: 0x99 })).toBe(0x2f);
    expect(outcome.error.data.detail).not.toContain(CANARY);
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
  ])("keeps of $why what is read", ({ method, result, want }) => {
    const outcome: RpcOutcome = { kind: "result", result };
    expect(replayed(method, outcome)).toEqual({ kind: "result", result: want });
    expect(lineOfAnswer({ method, params: [] }, outcome)).not.toContain(CANARY);
  });
});

describe("questionKey", () => {
  it("is the same for the same question and for no other", () => {
    const others = [
      { ...CALL, method: "eth_getCode" },
      { ...CALL, params: [...CALL.params].reverse() },
      { ...CALL, params: [{ to: "0x01", data: "0x03" }, "latest"] },
      { ...CALL, params: [] },
    ];
    const same = JSON.parse(JSON.stringify(CALL)) as typeof CALL;
    expect(questionKey(same)).toBe(questionKey(CALL));
    expect(new Set([CALL, ...others].map(questionKey)).size).toBe(others.length + 1);
  });
});

it("reads the answers that fixtures/README.md shows", () => {
  const readme = readFileSync(new URL("../../../../fixtures/README.md", import.meta.url), "utf8");
  const lines = readme.split("```ndjson\n")[1]?.split("\n```")[0]?.split("\n") ?? [];
  expect(lines.map((line) => answerOfLine(JSON.parse(line))?.outcome.kind)).toEqual(["result", "refused"]);
});

it("names the file of a DAO by the registry's words", () => {
  expect(chainRecordFile(10, "sample.eth")).toBe("chains/10/sample.eth.ndjson");
});
