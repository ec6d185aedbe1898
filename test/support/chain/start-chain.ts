import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { AbiFunction } from "ox/AbiFunction";
import { decodeResult, encodeData, from as functionOf } from "ox/AbiFunction";
import { encode } from "ox/AbiParameters";
import type { Hex } from "ox/Hex";
import { type CompiledContract, compileContracts } from "./compile-contracts.ts";

const ANVIL = fileURLToPath(
  new URL("../../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil", import.meta.url),
);

/** The time of block 0: 14 November 2023, 22:13:20 UTC. */
export const GENESIS_S = 1_700_000_000;
/** Seconds between two blocks. */
export const BLOCK_S = 12;
/** Blocks between the newest and the finalized one. */
export const FINALIZED_BEHIND = 2;

/**
 * Past states that the node keeps in memory, more than any test makes. By default it moves older ones to disk after some
 * hundreds of blocks, counting reverted ones, and going back to such a block (a reorganisation or a revert) leaves a
 * chain without contracts.
 */
const STATES_KEPT = 100_000;

/** An account or a contract on the chain. */
export type Account = Hex;

/** A real node with its own chain, for one test. */
export interface TestChain {
  readonly url: string;
  /** In lower case; each can send transactions. */
  readonly accounts: readonly Account[];
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Deploys a contract of `contracts/`; `addresses` are the arguments of its constructor. */
  deploy(name: string, addresses?: readonly Account[]): Promise<Account>;
  /** Sends a transaction, which is mined in its own block, and waits for it; throws if it is reverted. */
  send(from: Account, to: Account, signature: string, args?: readonly unknown[]): Promise<void>;
  /** Reads a contract at a block, by default the newest. */
  read(to: Account, signature: string, args?: readonly unknown[], block?: number): Promise<unknown>;
  mine(blocks: number): Promise<void>;
  head(): Promise<number>;
  contract(name: string): CompiledContract;
  close(): Promise<void>;
}

/** Starts anvil on a free port. It mines a block for each transaction, and on demand. */
export async function startChain({ genesisS = GENESIS_S } = {}): Promise<TestChain> {
  const contracts = compileContracts();
  const options = ["--port", "0", "--slots-in-an-epoch", "1", "--timestamp", String(genesisS)];
  options.push("--hardfork", "cancun", "--no-mining", "--prune-history", String(STATES_KEPT));
  const anvil = spawn(ANVIL, options, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await addressOf(anvil);
  const rpc = (method: string, params: readonly unknown[] = []) => ask(url, method, params);
  const contract = (name: string) => {
    const contract = contracts.get(name);
    if (contract === undefined) throw new Error(`unknown contract ${name}`);
    return contract;
  };
  const transact = async (transaction: object): Promise<{ contractAddress: Account }> => {
    const hash = await rpc("eth_sendTransaction", [{ gas: "0x1000000", ...transaction }]);
    await rpc("evm_mine");
    const receipt = (await rpc("eth_getTransactionReceipt", [hash])) as {
      status: string;
      contractAddress: Account;
    };
    if (receipt.status !== "0x1") throw new Error("a transaction was reverted");
    return receipt;
  };
  const accounts = (await rpc("eth_accounts")) as Account[];
  await rpc("anvil_setBlockTimestampInterval", [BLOCK_S]);
  return {
    url,
    accounts,
    rpc,
    contract,
    async deploy(name, addresses = []) {
      const types = addresses.map(() => ({ type: "address" }));
      const args = types.length === 0 ? "0x" : encode(types, [...addresses]);
      const data = `${contract(name).bytecode}${args.slice(2)}`;
      return (await transact({ from: accounts[0], data })).contractAddress;
    },
    async send(from, to, signature, args = []) {
      await transact({ from, to, data: dataOf(signature, args) });
    },
    async read(to, signature, args = [], block) {
      const tag = block === undefined ? "latest" : `0x${block.toString(16)}`;
      const answer = (await rpc("eth_call", [{ to, data: dataOf(signature, args) }, tag])) as Hex;
      return decodeResult(itemOf(signature), answer);
    },
    async mine(blocks) {
      await rpc("anvil_mine", [`0x${blocks.toString(16)}`]);
    },
    head: async () => Number(await rpc("eth_blockNumber")),
    async close() {
      const over = new Promise((resolve) => anvil.once("exit", resolve));
      anvil.kill();
      await over;
    },
  };
}

function itemOf(signature: string): AbiFunction {
  return functionOf([`function ${signature}`] as readonly string[]) as AbiFunction;
}

function dataOf(signature: string, args: readonly unknown[]): Hex {
  return encodeData(itemOf(signature), args);
}

/** Waits for the line with the address. Keeps reading afterwards, because a full pipe would block the node. */
function addressOf(anvil: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    anvil.once("error", reject);
    anvil.once("exit", (code) => reject(new Error(`anvil ended with ${code} before it listened`)));
    if (anvil.stdout === null) throw new Error("anvil has no output");
    createInterface(anvil.stdout).on("line", (line) => {
      const match = /^Listening on (\S+)/.exec(line);
      if (match?.[1] !== undefined) resolve(`http://${match[1]}`);
    });
  });
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
