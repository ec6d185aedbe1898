import { namehash } from "ox/Ens";
import type { Hex } from "ox/Hex";
import type { ContractReader, ReadOutcome } from "../../../../pipeline/sources/ens/look-up-names.ts";
import type { ContractCall } from "../../../../pipeline/sources/governor/contract-calls.ts";

const REGISTRY = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";
const ZERO_WORD = `0x${"0".repeat(64)}` as const;

/** What a resolver does when asked: answers these bytes, refuses, or the way to it fails. */
export type Said =
  | { readonly answer: Hex }
  | { readonly revert: Hex }
  | { readonly fault: true }
  /** Fails once, then answers. */
  | { readonly flaky: Hex };

const word = (digits: string) => digits.padStart(64, "0");

/** One string, as Solidity returns it. */
export function textAnswer(text: string | Uint8Array): Said {
  const bytes = Buffer.from(text);
  const padded = bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0");
  return { answer: `0x${word("20")}${word(bytes.length.toString(16))}${padded}` };
}

/** One address, as Solidity returns it. */
export function addressAnswer(address: string): Said {
  return { answer: `0x${word(address.slice(2))}` };
}

/** A registry with resolvers, filled by hand; a name has a resolver of its own or none. */
export function fakeEns() {
  const resolvers = new Map<string, Hex>();
  const records = new Map<string, Said>();
  const rounds: (readonly ContractCall[])[] = [];
  let nextResolver = 0x1000;

  function say(said: Said, key: string): ReadOutcome {
    if ("revert" in said) return "refused";
    if ("fault" in said) return "unknown";
    if ("flaky" in said) {
      records.set(key, { answer: said.flaky });
      return "unknown";
    }
    return { data: said.answer };
  }

  function answer({ to, data }: ContractCall): ReadOutcome {
    const selector = data.slice(0, 10);
    const node = `0x${data.slice(10)}`;
    if (to === REGISTRY && selector === "0x0178b8bf") {
      const record = records.get(`registry ${node}`);
      if (record !== undefined) return say(record, `registry ${node}`);
      const resolver = resolvers.get(node);
      return { data: resolver === undefined ? ZERO_WORD : `0x${word(resolver.slice(2))}` };
    }
    const key = `${selector} ${node}`;
    const said = resolvers.get(node) === to ? records.get(key) : undefined;
    if (said !== undefined) return say(said, key);
    // Like a real resolver: no record is the empty string, and the zero address.
    return { data: selector === "0x691f3431" ? `0x${word("20")}${word("0")}` : ZERO_WORD };
  }

  const state = { isAway: false };
  const reader: ContractReader = {
    async read(reads) {
      rounds.push(reads);
      return reads.map(answer);
    },
    isAway: () => state.isAway,
    trouble: () => (state.isAway ? "the node stopped responding" : undefined),
  };

  function resolverOf(node: Hex): void {
    if (!resolvers.has(node)) {
      nextResolver += 1;
      resolvers.set(node, `0x${nextResolver.toString(16).padStart(40, "0")}`);
    }
  }

  return {
    reader,
    state,
    /** What was asked, question by question, and in how many rounds. */
    rounds,
    asked: () => rounds.flat(),
    /** What `address` says its name is. */
    reverse(address: string, said: Said): void {
      const node = namehash(`${address.slice(2)}.addr.reverse`);
      resolverOf(node);
      records.set(`0x691f3431 ${node}`, said);
    },
    /** Where `name` leads to. */
    forward(name: string, said: Said): void {
      const node = namehash(name);
      resolverOf(node);
      records.set(`0x3b3b57de ${node}`, said);
    },
    /** What the registry itself says of `name`'s resolver. */
    registry(name: string, said: Said): void {
      records.set(`registry ${namehash(name)}`, said);
    },
  };
}
