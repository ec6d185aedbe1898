import { expect, it } from "vitest";
import { isRevert } from "../../../../pipeline/sources/governor/rpc.ts";

it.each([
  { code: 3, detail: "", isOne: true, why: "geth's code alone" },
  { code: -32000, detail: "execution reverted: no quorum", isOne: true, why: "geth and its kin" },
  { code: -32015, detail: "VM execution error.", isOne: true, why: "OpenEthereum" },
  { code: -32015, detail: "Reverted 0x", isOne: true, why: "OpenEthereum with data" },
  { code: -32000, detail: "invalid opcode: INVALID", isOne: true, why: "geth, an old assert" },
  { code: -32003, detail: "EVM error InvalidJump", isOne: true, why: "anvil" },
  { code: -32003, detail: "EVM error InvalidFEOpcode", isOne: true, why: "anvil, an old assert" },
  { code: -32000, detail: "out of gas", isOne: true, why: "the contract never ends" },
  { code: -32000, detail: "OutOfGas", isOne: true, why: "Besu" },
  { code: -32015, detail: "Bad instruction fe", isOne: true, why: "Parity" },
  { code: -32000, detail: "stack underflow (0 <=> 1)", isOne: true, why: "broken code" },
  { code: -32000, detail: "StackOverflow", isOne: true, why: "deep recursion" },
  { code: -32005, detail: "limit exceeded", isOne: false, why: "the node's own limit" },
  { code: -32601, detail: "method not found", isOne: false, why: "no such method" },
  { code: -32000, detail: "header not found", isOne: false, why: "a node that lags" },
  { code: -32602, detail: "invalid argument 0: json", isOne: false, why: "our own fault" },
  { code: -32000, detail: "", isOne: false, why: "a refusal without a word" },
])("$detail ($code) is a revert: $isOne ($why)", ({ code, detail, isOne }) => {
  expect(isRevert({ code, detail })).toBe(isOne);
});
